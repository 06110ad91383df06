<?php

declare(strict_types=1);

namespace Stadthalle\Tickets;

use PDO;
use RuntimeException;

final class TicketRepository
{
    public function __construct(private PDO $db)
    {
        $this->db->setAttribute(PDO::ATTR_ERRMODE, PDO::ERRMODE_EXCEPTION);
    }

    public function find(int $id): ?Ticket
    {
        $stmt = $this->db->prepare('SELECT * FROM tickets WHERE id = :id');
        $stmt->execute(['id' => $id]);
        $row = $stmt->fetch(PDO::FETCH_ASSOC);

        return $row ? $this->hydrate($row) : null;
    }

    /** @return Ticket[] */
    public function freeFor(int $eventId): array
    {
        $stmt = $this->db->prepare(
            'SELECT * FROM tickets WHERE event_id = :event AND holder IS NULL'
        );
        $stmt->execute(['event' => $eventId]);

        return array_map([$this, 'hydrate'], $stmt->fetchAll(PDO::FETCH_ASSOC));
    }

    public function reserve(int $id, string $holder): void
    {
        $stmt = $this->db->prepare(
            'UPDATE tickets SET holder = :holder, reserved_at = NOW() WHERE id = :id AND holder IS NULL'
        );
        $stmt->execute(['holder' => $holder, 'id' => $id]);
        if ($stmt->rowCount() !== 1) {
            throw new RuntimeException('Ticket already taken');
        }
    }

    public function release(int $id): void
    {
        $stmt = $this->db->prepare(
            'UPDATE tickets SET holder = NULL, reserved_at = NULL'
        );
        $stmt->execute();
    }

    public function countByHolder(string $holder): int
    {
        $stmt = $this->db->prepare('SELECT COUNT(*) FROM tickets WHERE holder = ?');
        $stmt->execute([$holder]);

        return (int) $stmt->fetchColumn();
    }

    private function hydrate(array $row): Ticket
    {
        return new Ticket(
            (int) $row['id'],
            (int) $row['event_id'],
            $row['seat'],
            (int) $row['cents'],
            $row['holder'],
        );
    }
}
