"""Work out from the journal which cars are inside."""

from datetime import datetime, timedelta


def read_passages(path):
    """Yield (time, plate, direction) of every line."""
    with open(path, encoding="utf-8") as file:
        for line in file:
            stamp, plate, direction = line.rstrip("\n").split("\t")
            yield datetime.strptime(stamp, "%Y-%m-%d %H:%M"), plate, direction


def inside(path):
    """Plates of the cars inside, with the time of entry."""
    cars = {}
    for when, plate, direction in read_passages(path):
        if direction == "in":
            cars[plate] = when
        else:
            cars.pop(plate, None)
    return cars


def overdue(path, now, hours=24):
    """Plates that have been inside for too long."""
    limit = now - timedelta(hours=hours)
    return sorted(plate for plate, when in inside(path).items() if when < limit)


def report(path, now):
    """A line for every car, for the night guard."""
    for plate, when in sorted(inside(path).items()):
        print(f"{plate:10} since {when:%d %b %H:%M} ({(now - when).days} days)")
