<?php

declare(strict_types=1);

namespace StampHouse\Catalogue;

final class SearchController
{
    public function __construct(
        private readonly LotRepository $lots,
        private readonly Renderer $renderer,
    ) {
    }

    public function __invoke(array $query): string
    {
        $words = trim((string) ($query['q'] ?? ''));
        $page = (int) ($query['page'] ?? 1);
        $paging = new Paging('search', $this->lots->count($words));

        return $this->renderer->render('search.phtml', [
            'words' => $words,
            'page' => $page,
            'pages' => $paging->pages(),
            'lots' => $this->lots->find($words, $paging->offset($page), $paging->perPage()),
        ]);
    }
}
