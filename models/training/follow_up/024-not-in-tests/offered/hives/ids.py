"""Names for hives."""

import itertools

_numbers = itertools.count(1)


def new_id():
    return f"H-{next(_numbers)}"
