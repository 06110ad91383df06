<?php

declare(strict_types=1);

namespace Rookery\Mail;

use Rookery\Model\Game;
use Rookery\Model\Member;

final class ClubMailer
{
    public function __construct(
        private readonly Transport $transport,
        private readonly Templates $templates,
        private readonly string $from = 'desk@rookery.example',
    ) {
    }

    public function welcome(Member $member): void
    {
        $this->send($member, 'Welcome to the club', 'welcome', ['name' => $member->firstName()]);
    }

    public function pairing(Member $member, Game $game): void
    {
        $this->send($member, 'Your next opponent', 'pairing', [
            'name' => $member->firstName(),
            'opponent' => $game->opponentOf($member)->fullName(),
            'day' => $game->day()->format('l, j F'),
        ]);
    }

    public function reminder(Member $member, Game $game): void
    {
        $this->send($member, 'Reminder', 'reminder', [
            'name' => $member->firstName(),
            'board' => $game->board(),
            'time' => $game->day()->format('H:i'),
        ]);
    }

    public function feeReminder(Member $member, int $cents): void
    {
        $this->send($member, 'Reminder: your membership fee', 'fee', [
            'name' => $member->firstName(),
            'amount' => number_format($cents / 100, 2),
        ]);
    }

    private function send(Member $member, string $subject, string $template, array $values): void
    {
        $body = $this->templates->fill($template, $values);
        $this->transport->deliver($this->from, $member->email(), $subject, $body);
    }
}
