def parse_lap(text):
    minutes, seconds = text.split(":")
    return int(minutes) * 60 + float(seconds)


def average(laps):
    return sum(laps) / len(laps) if laps else 0.0


def best(laps):
    return min(laps, default=None)
