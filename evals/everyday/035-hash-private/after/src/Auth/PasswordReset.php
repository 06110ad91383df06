<?php

declare(strict_types=1);

namespace Orchard\Auth;

use DateTimeImmutable;
use PDO;

final class PasswordReset
{
    private const LIFETIME = '+2 hours';

    public function __construct(private PDO $db)
    {
    }

    public function issueToken(int $userId): string
    {
        $token = bin2hex(random_bytes(32));
        $expires = (new DateTimeImmutable(self::LIFETIME))->format('Y-m-d H:i:s');
        $insert = $this->db->prepare('INSERT INTO resets (user_id, token_hash, expires_at) VALUES (?, ?, ?)');
        $insert->execute([$userId, $this->hashToken($token), $expires]);

        return $token;
    }

    private function hashToken(string $token): string
    {
        return hash('sha256', $token);
    }

    public function redeemToken(string $token): ?int
    {
        $query = $this->db->prepare('SELECT user_id FROM resets WHERE token_hash = ? AND expires_at > NOW()');
        $query->execute([$this->hashToken($token)]);
        $userId = $query->fetchColumn();
        if ($userId === false) {
            return null;
        }
        $this->forgetTokens((int) $userId);

        return (int) $userId;
    }

    public function forgetTokens(int $userId): void
    {
        $this->db->prepare('DELETE FROM resets WHERE user_id = ?')->execute([$userId]);
    }
}
