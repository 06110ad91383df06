"""Start of the notes program."""

import pathlib

from notes.recent import load_recent
from notes.settings import load_settings


def start(home):
    folder = pathlib.Path(home) / ".notes"
    folder.mkdir(exist_ok=True)
    settings = load_settings(folder / "settings.json")
    recent = load_recent(folder / "recent.txt")
    return settings, recent
