<?php

declare(strict_types=1);

namespace HarbourMuseum\Http;

use HarbourMuseum\Ticket\OrderController;

final class Kernel
{
    public function __construct(private readonly OrderController $orders)
    {
    }

    public static function fromEnvironment(array $server): self
    {
        return new self(OrderController::create($server['TICKET_DB'] ?? 'tickets.sqlite'));
    }

    public function handle(string $method, string $uri, array $post): Response
    {
        $path = parse_url($uri, PHP_URL_PATH);

        return match ([$method, $path]) {
            ['GET', '/'] => $this->orders->form(),
            ['POST', '/price'] => $this->orders->price($post),
            ['POST', '/order'] => $this->orders->order($post),
            default => new Response('Not found', 404),
        };
    }
}
