<?php

declare(strict_types=1);

namespace Pottery;

final class Voucher
{
    private const CODE_LENGTH = 10;
    private const ALPHABET = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789';

    private function __construct(
        public readonly string $code,
        public readonly int $percent,
    ) {
    }

    public static function issue(int $percent): self
    {
        if ($percent < 1) {
            throw new \InvalidArgumentException('no discount');
        }
        $code = '';
        for ($i = 0; $i < self::CODE_LENGTH; $i++) {
            $code .= self::ALPHABET[random_int(0, strlen(self::ALPHABET) - 1)];
        }
        return new self($code, min($percent, 40));
    }

    /** The price in cents after the discount. */
    public function apply(int $cents): int
    {
        return intdiv($cents * (100 - $this->percent), 100);
    }
}
