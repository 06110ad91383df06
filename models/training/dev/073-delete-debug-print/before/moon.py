from datetime import date

SYNODIC = 29.530588
NEW_MOON = date(2000, 1, 6)


def moon_age(day):
    """Days since the last new moon."""
    delta = (day - NEW_MOON).days
    age = delta % SYNODIC
    print("DEBUG", day, delta, age)
    return age


def phase(day):
    names = ["new", "waxing", "full", "waning"]
    return names[int(moon_age(day) / SYNODIC * 4 + 0.5) % 4]


if __name__ == "__main__":
    print(phase(date.today()))
