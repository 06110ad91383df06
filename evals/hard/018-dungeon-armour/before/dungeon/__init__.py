"""A small dungeon crawler."""
