<?php

declare(strict_types=1);

namespace Almanac\Controller;

use Almanac\Repository\PostRepository;
use Almanac\View;

final class TagController
{
    public function __construct(private PostRepository $posts, private View $view)
    {
    }

    public function show(string $tag): string
    {
        return $this->view->render('tag', [
            'tag' => $tag,
            'posts' => $this->posts->findByTag($tag),
        ]);
    }
}
