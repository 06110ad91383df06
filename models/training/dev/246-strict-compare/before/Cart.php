<?php

class Cart
{
    private array $lines = [];

    public function __construct(private string|int|null $voucher = null)
    {
    }

    public function add(string $sku, int $qty): void
    {
        $this->lines[$sku] = ($this->lines[$sku] ?? 0) + $qty;
    }

    public function hasVoucher(): bool
    {
        return $this->voucher != null;
    }
}
