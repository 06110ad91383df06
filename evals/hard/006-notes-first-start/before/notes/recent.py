"""The list of recently opened notebooks."""

MAX_RECENT = 8


def load_recent(path):
    """Paths of the last notebooks, the newest first."""
    try:
        with open(path, encoding="utf-8") as handle:
            lines = handle.read().splitlines()
    except FileNotFoundError:
        return []
    return [line for line in lines if line][:MAX_RECENT]


def add_recent(path, notebook):
    entries = [n for n in load_recent(path) if n != notebook]
    entries.insert(0, notebook)
    with open(path, "w", encoding="utf-8") as handle:
        for entry in entries[:MAX_RECENT]:
            handle.write(entry + "\n")
