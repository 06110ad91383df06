<?php
$entries = json_decode(file_get_contents('entries.json'), true) ?: [];
?>
<h1>Guestbook</h1>
<?php foreach (array_reverse($entries) as $entry): ?>
  <article>
    <h2><?= $entry['name'] ?></h2>
    <p><?= htmlspecialchars($entry['text']) ?></p>
    <time><?= date('j M Y', $entry['time']) ?></time>
  </article>
<?php endforeach; ?>
