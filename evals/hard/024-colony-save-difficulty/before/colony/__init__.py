"""A game about a colony on an island."""
