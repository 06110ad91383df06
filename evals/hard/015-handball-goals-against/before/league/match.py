"""One match of the league."""


class Match:
    def __init__(self, home, away, home_goals, away_goals):
        if home == away:
            raise ValueError("a team cannot play itself")
        self.home = home
        self.away = away
        self.home_goals = home_goals
        self.away_goals = away_goals

    @classmethod
    def parse(cls, line):
        """Read a line like `Kiel;Flensburg;28:25`."""
        home, away, result = line.strip().split(";")
        home_goals, away_goals = result.split(":")
        return cls(home, away, int(home_goals), int(away_goals))
