import sys

sys.dont_write_bytecode = True

from atlas.coords import CoordinateError, format_angle, parse_angle, parse_place

assert parse_angle("9° 8' W") == -(9 + 8 / 60)
assert parse_angle("24d E") == 24
assert parse_angle("33° 30' S") == -33.5
assert parse_angle("38° 30' N") == 38.5
assert parse_place("10° N, 20° W") == (10, -20)
assert format_angle(-9.5, "EW") == "9° 30' W"
assert format_angle(9.5, "EW") == "9° 30' E"
try:
    parse_angle("91° N")
except CoordinateError:
    pass
else:
    raise SystemExit("91 degrees north was taken")
assert parse_angle("91° W") == -91
