import sys

sys.dont_write_bytecode = True

import random

from raffle.drum import Drum, DrumEmpty
from raffle.evening import run_evening

drum = Drum(1, 5, random.Random(4))
assert sorted(drum.draw() for _ in range(5)) == [1, 2, 3, 4, 5]
assert drum.left() == 0
try:
    drum.draw()
except DrumEmpty:
    pass
else:
    raise SystemExit("a sixth ticket was drawn")
assert Drum(7, 7).draw() == 7
assert Drum(10, 30).ending_in(0) == [10, 20, 30]
assert Drum(1, 5).size() == 5
assert len(run_evening(1, 3, ["car", "bike", "ham"], random.Random(1))) == 3
