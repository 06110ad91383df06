<!doctype html>
<html lang="de">
<head>
    <meta charset="utf-8">
    <title>Freie Plätze</title>
</head>
<body>
    <h1>Freie Plätze</h1>
    <?php if (!$list): ?>
        <p>Leider ausverkauft.</p>
    <?php endif; ?>
    <ul>
        <?php foreach ($list as $ticket): ?>
            <li>
                Platz <?= $ticket->seat ?> – <?= $ticket->price() ?>
            </li>
        <?php endforeach; ?>
    </ul>
</body>
</html>
