"""Heroes and monsters."""

import dataclasses


@dataclasses.dataclass
class Fighter:
    name: str
    hit_points: int
    strength: int
    skill: int = 5
    agility: int = 10
    weapon: int = 0
    armour: int = 0

    def wear(self, points):
        """Put on a piece of armour."""
        self.armour += points

    def heal(self, points, limit=100):
        self.hit_points = min(limit, self.hit_points + points)


def goblin():
    return Fighter("goblin", hit_points=12, strength=4, weapon=2)


def troll():
    return Fighter("troll", hit_points=60, strength=14, agility=6, armour=3)
