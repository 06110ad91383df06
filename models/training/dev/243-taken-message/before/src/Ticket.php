<?php

declare(strict_types=1);

namespace Stadthalle\Tickets;

final class Ticket
{
    public function __construct(
        public readonly int $id,
        public readonly int $eventId,
        public readonly string $seat,
        public readonly int $cents,
        public readonly ?string $holder = null,
    ) {
    }

    public function isFree(): bool
    {
        return $this->holder === null;
    }

    public function price(): string
    {
        return number_format($this->cents / 100, 2, ',', '.') . ' €';
    }
}
