<?php

declare(strict_types=1);

namespace StampHouse\Catalogue;

final class Paging
{
    private const PER_PAGE = [
        'home' => 8,
        'search' => 50,
        'sold' => 20,
        'watchlist' => 40,
    ];

    private const MAX_PAGES = 50;

    public function __construct(
        private readonly string $list,
        private readonly int $total,
    ) {
        if (!isset(self::PER_PAGE[$list])) {
            throw new \InvalidArgumentException("unknown list: $list");
        }
    }

    public function perPage(): int
    {
        return self::PER_PAGE[$this->list];
    }

    public function pages(): int
    {
        $pages = (int) ceil($this->total / $this->perPage());

        return max(1, min($pages, self::MAX_PAGES));
    }

    public function offset(int $page): int
    {
        $page = max(1, min($page, $this->pages()));

        return ($page - 1) * $this->perPage();
    }
}
