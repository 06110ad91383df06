"""Reading and writing of what the user has set."""

import json

DEFAULTS = {
    "font_size": 13,
    "theme": "light",
    "autosave_seconds": 30,
    "spellcheck": True,
}


class SettingsError(Exception):
    """The settings file is there but cannot be used."""


def load_settings(path):
    """Settings from the file; what it leaves out comes from the defaults."""
    settings = dict(DEFAULTS)
    try:
        with open(path, encoding="utf-8") as handle:
            stored = json.load(handle)
    except FileNotFoundError:
        return settings
    except json.JSONDecodeError as error:
        raise SettingsError(f"{path}, line {error.lineno}: {error.msg}") from error
    for key, value in stored.items():
        if key not in DEFAULTS:
            raise SettingsError(f"{path}: unknown setting {key}")
        settings[key] = value
    return settings


def save_settings(path, settings):
    """Write only what differs from the defaults."""
    changed = {k: v for k, v in settings.items() if v != DEFAULTS[k]}
    with open(path, "w", encoding="utf-8") as handle:
        json.dump(changed, handle, indent=2, sort_keys=True)
        handle.write("\n")
