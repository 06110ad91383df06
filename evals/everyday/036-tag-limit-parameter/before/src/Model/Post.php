<?php

declare(strict_types=1);

namespace Almanac\Model;

final class Post
{
    public function __construct(
        public readonly int $id,
        public readonly string $title,
        public readonly string $author,
        public readonly string $body,
    ) {
    }

    public static function fromRow(array $row): self
    {
        return new self((int) $row['id'], $row['title'], $row['author'], $row['body']);
    }
}
