"""Decides which photos on a memory card are new."""

EXTENSIONS = (".jpg", ".jpeg", ".png", ".raw")


def is_photo(name):
    return name.lower().endswith(EXTENSIONS)


def plan(on_card, in_album):
    """Photos to copy and photos to skip, each sorted by name."""
    known = {name.lower() for name in in_album}
    photos = sorted(name for name in on_card if is_photo(name))
    new = [name for name in photos if name.lower() not in known]
    old = [name for name in photos if name.lower() in known]
    return new, old
