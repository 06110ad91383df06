"""Who may enter the climbing hall."""

import dataclasses


@dataclasses.dataclass
class Visitor:
    name: str
    age: int
    banned: bool = False
    with_adult: bool = False
    has_course: bool = False


class Hall:
    """The hall with its boulder room."""

    def __init__(self, capacity, min_age=14, boulder_min_age=8):
        self.capacity = capacity
        self.min_age = min_age
        self.boulder_min_age = boulder_min_age
        self.inside = []

    def free_places(self):
        return self.capacity - len(self.inside)

    def may_enter(self, visitor):
        return (
            (visitor.age >= self.min_age or visitor.with_adult)
            and not visitor.banned
            and self.free_places() > 0
        )

    def may_boulder(self, visitor):
        return visitor.age >= self.boulder_min_age and not visitor.banned

    def may_lead(self, visitor):
        """Climbing ahead with the rope needs a course."""
        return visitor.age >= self.min_age and visitor.has_course

    def enter(self, visitor):
        if not self.may_enter(visitor):
            return False
        self.inside.append(visitor)
        return True

    def leave(self, visitor):
        self.inside.remove(visitor)
