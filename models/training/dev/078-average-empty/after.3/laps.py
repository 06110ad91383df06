def parse_lap(text):
    minutes, seconds = text.split(":")
    return int(minutes) * 60 + float(seconds)


def average(laps):
    if len(laps) == 0:
        return 0.0
    return sum(laps) / len(laps)


def best(laps):
    return min(laps, default=None)
