"""Loading a saved game."""

import json

from colony.model import Game, Person

VERSION = 3


class SaveError(Exception):
    """The file is no saved game of this version."""


def from_dict(data):
    if data.get("version") != VERSION:
        raise SaveError(f"version {data.get('version')} cannot be loaded")
    game = Game(data["name"], data["difficulty"])
    game.day = data["day"]
    game.stock = dict(data["stock"])
    game.people = [Person(p["name"], p["job"], p["mood"]) for p in data["people"]]
    return game


def load(path):
    with open(path, encoding="utf-8") as handle:
        return from_dict(json.load(handle))
