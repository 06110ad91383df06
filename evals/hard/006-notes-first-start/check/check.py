import sys

sys.dont_write_bytecode = True

import pathlib
import tempfile

from notes.app import start
from notes.settings import DEFAULTS, SettingsError, load_settings

with tempfile.TemporaryDirectory() as home:
    wanted = dict(DEFAULTS)
    assert start(home) == (wanted, [])
    assert DEFAULTS == wanted
    path = pathlib.Path(home) / ".notes" / "settings.json"
    path.write_text('{"theme": "dark"}')
    assert load_settings(path) == {**wanted, "theme": "dark"}
    for broken in ('{"theme": ', '{"colour": 3}'):
        path.write_text(broken)
        try:
            load_settings(path)
        except SettingsError:
            pass
        else:
            raise SystemExit(f"no error for {broken}")
