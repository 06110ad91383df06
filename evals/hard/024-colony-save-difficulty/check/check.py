import sys

sys.dont_write_bytecode = True

from colony.load import SaveError, from_dict
from colony.model import Game, Person
from colony.save import to_dict

game = Game("North bay", "harsh")
game.day = 12
game.people.append(Person("Ida", "smith", 70))
data = to_dict(game)
assert data["difficulty"] == "harsh"
assert "diff" not in data
assert sorted(data) == ["day", "difficulty", "name", "people", "stock", "version"]
again = from_dict(data)
assert (again.name, again.difficulty, again.day) == ("North bay", "harsh", 12)
assert again.daily_food() == 3
assert to_dict(again) == data
gentle = to_dict(Game("South", "gentle"))
assert from_dict(gentle).difficulty == "gentle"
try:
    from_dict({**data, "version": 1})
except SaveError:
    pass
else:
    raise SystemExit("version 1 was taken")
