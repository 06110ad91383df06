<?php

declare(strict_types=1);

namespace HarbourMuseum\Ticket;

final class OrderStore
{
    private \PDO $db;

    public function __construct(string $file)
    {
        $this->db = new \PDO("sqlite:$file");
        $this->db->setAttribute(\PDO::ATTR_ERRMODE, \PDO::ERRMODE_EXCEPTION);
    }

    public function add(Group $group, int $cents): int
    {
        $insert = $this->db->prepare(
            'INSERT INTO orders (adults, children, seniors, guided, cents) VALUES (?, ?, ?, ?, ?)'
        );
        $insert->execute([$group->adults, $group->children, $group->seniors, (int) $group->guided, $cents]);

        return (int) $this->db->lastInsertId();
    }

    public function revenue(\DateTimeImmutable $day): int
    {
        $select = $this->db->prepare('SELECT COALESCE(SUM(cents), 0) FROM orders WHERE date(created) = ?');
        $select->execute([$day->format('Y-m-d')]);

        return (int) $select->fetchColumn();
    }
}
