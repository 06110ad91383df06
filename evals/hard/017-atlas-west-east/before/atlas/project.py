"""From coordinates to pixels of the world map."""

WIDTH = 1440
HEIGHT = 720


def to_pixel(lat, lon):
    """Plate carrée: west is left, north is up."""
    x = (lon + 180) / 360 * WIDTH
    y = (90 - lat) / 180 * HEIGHT
    return round(x), round(y)


def in_window(lat, lon, south, west, north, east):
    if not south <= lat <= north:
        return False
    if west <= east:
        return west <= lon <= east
    return lon >= west or lon <= east
