"""Standings of the handball league."""


class Row:
    def __init__(self, team):
        self.team = team
        self.played = 0
        self.points = 0
        self.scored = 0
        self.conceded = 0

    @property
    def difference(self):
        return self.scored - self.conceded


def award(home, away, match):
    """Two points for a win, one each for a draw."""
    if match.home_goals > match.away_goals:
        home.points += 2
    elif match.home_goals < match.away_goals:
        away.points += 2
    else:
        home.points += 1
        away.points += 1


def standings(teams, matches):
    rows = {team: Row(team) for team in teams}
    for match in matches:
        home = rows[match.home]
        away = rows[match.away]
        home.played += 1
        home.scored += match.home_goals
        home.conceded += match.away_goals
        away.played += 1
        away.scored += match.away_goals
        away.conceded += match.away_goals
        award(home, away, match)
    return sorted(
        rows.values(),
        key=lambda row: (-row.points, -row.difference, -row.scored, row.team),
    )
