import sys

sys.dont_write_bytecode = True

from parish.calendar import NoSuchDay, check_day, day_of_year, days_in_year, is_leap
from parish.register import Register

leap = [year for year in range(1583, 2105) if is_leap(year)]
assert leap[:2] == [1584, 1588]
assert {1600, 1996, 2000, 2024} <= set(leap)
assert not {1700, 1800, 1900, 2100, 2023, 2022} & set(leap)
assert len(leap) == 127, len(leap)
assert (days_in_year(2024), days_in_year(2023)) == (366, 365)
register = Register()
register.baptism("Anna", 2024, 2, 29, ["Karl"])
assert register.godchildren("Karl") == ["Anna"]
assert day_of_year(2024, 12, 31) == 366
for bad in ((1900, 2, 29), (2024, 2, 30), (2023, 2, 29), (2024, 13, 1), (1500, 1, 1)):
    try:
        check_day(*bad)
    except NoSuchDay:
        continue
    raise SystemExit(f"{bad} was taken")
