<?php

declare(strict_types=1);

namespace Almanac\Repository;

use Almanac\Model\Post;
use PDO;

class PostRepository
{
    public function __construct(private PDO $db)
    {
    }

    public function find(int $id): ?Post
    {
        $posts = $this->fetch('SELECT * FROM posts WHERE id = :id', ['id' => $id]);

        return $posts[0] ?? null;
    }

    /** @return Post[] */
    public function findLatest(int $limit = 10): array
    {
        return $this->fetch("SELECT * FROM posts ORDER BY published_at DESC LIMIT $limit");
    }

    /** @return Post[] */
    public function findByTag(string $tag): array
    {
        return $this->fetch(
            "SELECT p.* FROM posts p JOIN tags t ON t.post_id = p.id
             WHERE t.name = :tag ORDER BY p.published_at DESC LIMIT $limit",
            ['tag' => $tag]
        );
    }

    /** @return Post[] */
    public function findByAuthor(string $author): array
    {
        return $this->fetch(
            'SELECT * FROM posts WHERE author = :author ORDER BY published_at DESC',
            ['author' => $author]
        );
    }

    /** @return Post[] */
    private function fetch(string $sql, array $values = []): array
    {
        $query = $this->db->prepare($sql);
        $query->execute($values);

        return array_map([Post::class, 'fromRow'], $query->fetchAll(PDO::FETCH_ASSOC));
    }
}
