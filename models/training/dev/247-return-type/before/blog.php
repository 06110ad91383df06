<?php

function slug(string $title): string
{
    $slug = strtolower(trim($title));
    return preg_replace('/[^a-z0-9]+/', '-', $slug);
}

function tagsFor(string $text)
{
    preg_match_all('/#(\w+)/', $text, $found);
    return array_unique($found[1]);
}
