import time
from pathlib import Path

WEEK = 7 * 24 * 3600


def is_old(path):
    return time.time() - path.stat().st_mtime > WEEK


def purge(folder):
    removed = 0
    for path in Path(folder).glob("*.tmp"):
        if is_old(path):
            path.unlink()
            removed += 1
    return removed


print(purge("/var/spool/scans"))
