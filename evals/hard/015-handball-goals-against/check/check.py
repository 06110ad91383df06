import sys

sys.dont_write_bytecode = True

from league.match import Match
from league.table import standings

matches = [Match.parse("Kiel;Bergen;28:25"), Match.parse("Bergen;Lund;20:20"), Match.parse("Lund;Kiel;19:31")]
rows = standings(["Kiel", "Bergen", "Lund"], matches)
found = {r.team: (r.played, r.points, r.scored, r.conceded, r.difference) for r in rows}
assert found == {
    "Kiel": (2, 4, 59, 44, 15),
    "Bergen": (2, 1, 45, 48, -3),
    "Lund": (2, 1, 39, 51, -12),
}, found
assert [r.team for r in rows] == ["Kiel", "Bergen", "Lund"]
