<?php

declare(strict_types=1);

namespace HarbourMuseum\Ticket;

final class Group
{
    public function __construct(
        public readonly int $adults,
        public readonly int $children,
        public readonly int $seniors,
        public readonly bool $guided,
    ) {
    }

    public static function fromPost(array $post): self
    {
        return new self(
            max(0, (int) ($post['adults'] ?? 0)),
            max(0, (int) ($post['children'] ?? 0)),
            max(0, (int) ($post['seniors'] ?? 0)),
            ($post['guided'] ?? '') === 'yes',
        );
    }

    public function size(): int
    {
        return $this->adults + $this->children + $this->seniors;
    }
}
