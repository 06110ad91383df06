"""The job that runs at night."""

import shutil
from datetime import date
from pathlib import Path

from lab.packing import pack

INCOMING = Path("/srv/lab/incoming")
ARCHIVE = Path("/srv/lab/archive")


def run(today=None):
    today = today or date.today()
    target = ARCHIVE / f"{today:%Y%m%d}.zip"
    number = pack(INCOMING, target, level=9)
    print(f"{number} files packed to {target}")
    for path in INCOMING.iterdir():
        if path.is_dir():
            shutil.rmtree(path)


if __name__ == "__main__":
    run()
