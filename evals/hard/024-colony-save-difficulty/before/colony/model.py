"""What a game consists of."""

DIFFICULTIES = ("gentle", "normal", "harsh")


class Person:
    def __init__(self, name, job="none", mood=50):
        self.name = name
        self.job = job
        self.mood = mood


class Game:
    def __init__(self, name, difficulty="normal"):
        if difficulty not in DIFFICULTIES:
            raise ValueError(f"unknown difficulty {difficulty}")
        self.name = name
        self.difficulty = difficulty
        self.day = 1
        self.stock = {"wood": 40, "food": 60}
        self.people = []

    def daily_food(self):
        factor = {"gentle": 1, "normal": 2, "harsh": 3}[self.difficulty]
        return factor * len(self.people)
