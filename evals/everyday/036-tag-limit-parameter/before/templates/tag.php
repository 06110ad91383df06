<h1>Posts about <?= htmlspecialchars($tag) ?></h1>
<ul>
<?php foreach ($posts as $post): ?>
  <li><a href="/posts/<?= $post->id ?>"><?= htmlspecialchars($post->title) ?></a></li>
<?php endforeach ?>
</ul>
