<?php

declare(strict_types=1);

namespace HarbourMuseum\Ticket;

use HarbourMuseum\Http\Response;

final class OrderController
{
    public function __construct(
        private readonly OrderStore $store,
        private readonly TicketPrice $price,
    ) {
    }

    public static function create(string $database): self
    {
        return new self(new OrderStore($database), new TicketPrice());
    }

    public function form(): Response
    {
        return new Response((string) file_get_contents(__DIR__ . '/form.html'));
    }

    public function price(array $post): Response
    {
        $group = Group::fromPost($post);

        return new Response(json_encode(['cents' => $this->price->forGroup($group)]), type: 'application/json');
    }

    public function order(array $post): Response
    {
        $group = Group::fromPost($post);
        if ($group->size() === 0) {
            return new Response('Nobody is coming', 422);
        }
        $number = $this->store->add($group, $this->price->forGroup($group));

        return new Response("Your order has the number $number");
    }
}
