"""Saving the state of a game."""

import json

VERSION = 3


def to_dict(game):
    return {
        "version": VERSION,
        "name": game.name,
        "difficulty": game.difficulty,
        "day": game.day,
        "stock": dict(sorted(game.stock.items())),
        "people": [
            {"name": p.name, "job": p.job, "mood": p.mood} for p in game.people
        ],
    }


def save(game, path):
    with open(path, "w", encoding="utf-8") as handle:
        json.dump(to_dict(game), handle, indent=1)
