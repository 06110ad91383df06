<?php

declare(strict_types=1);

namespace HarbourMuseum\Http;

final class Response
{
    public function __construct(
        public readonly string $body,
        public readonly int $status = 200,
        public readonly string $type = 'text/html; charset=utf-8',
    ) {
    }

    public function send(): void
    {
        http_response_code($this->status);
        header('Content-Type: ' . $this->type);
        echo $this->body;
    }
}
