<?php

declare(strict_types=1);

use HarbourMuseum\Http\Kernel;

require __DIR__ . '/../vendor/autoload.php';

$kernel = Kernel::fromEnvironment($_SERVER);
$kernel->handle($_SERVER['REQUEST_METHOD'], $_SERVER['REQUEST_URI'], $_POST)->send();
