<?php

declare(strict_types=1);

require __DIR__ . '/../vendor/autoload.php';

use Stadthalle\Tickets\TicketRepository;

$settings = parse_ini_file(__DIR__ . '/../config/settings.ini', true);
$db = new PDO($settings['database']['dsn'], $settings['database']['user'], getenv('DB_PASSWORD'));
$tickets = new TicketRepository($db);

$event = (int) ($_GET['event'] ?? 0);
$list = $tickets->freeFor($event);

require __DIR__ . '/../templates/list.php';
