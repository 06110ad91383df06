<?php

declare(strict_types=1);

namespace HarbourMuseum\Ticket;

final class TicketPrice
{
    private const ADULT = 1200;
    private const CHILD = 500;
    private const SENIOR = 900;
    private const FAMILY = 2600;
    private const GUIDE = 6000;

    public function forGroup(Group $group): int
    {
        $sum = $this->isFamily($group) ? $this->family($group) : $this->single($group);
        if ($this->isParty($group)) {
            $sum = intdiv($sum * 9, 10);
        }

        return $sum + ($group->guided ? self::GUIDE : 0);
    }

    // Grandparents count as adults.
    private function isFamily(Group $group): bool
    {
        $grown = $group->adults + $group->seniors;

        return $grown >= 1 && $grown <= 2 && $group->children >= 1;
    }

    // School classes have a contract of their own.
    private function isParty(Group $group): bool
    {
        return $group->size() >= 15;
    }

    private function family(Group $group): int
    {
        return min(self::FAMILY, $this->single($group));
    }

    private function single(Group $group): int
    {
        return $group->adults * self::ADULT
            + $group->children * self::CHILD
            + $group->seniors * self::SENIOR;
    }
}
