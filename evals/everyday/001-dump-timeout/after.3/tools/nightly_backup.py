"""Nightly database backup: dump, compress, upload, prune."""

import argparse
import logging
import os
import subprocess
from datetime import date, timedelta
from pathlib import Path

log = logging.getLogger("nightly_backup")

BACKUP_DIR = Path("/var/backups/pg")
KEEP_DAYS = 14
BUCKET = "s3://acme-db-backups"


def dump(database: str, password: str) -> Path:
    """Write a custom-format dump of one database and return its path."""
    target = BACKUP_DIR / f"{database}-{date.today():%Y%m%d}.dump"
    env = dict(os.environ, PGPASSWORD=password)
    log.info("dumping %s to %s", database, target)
    subprocess.run(
        ["pg_dump", "--format=custom", "--file", str(target), database],
        timeout=600,
        env=env,
        check=True,
    )
    return target


def compress(path: Path) -> Path:
    """Compress a dump with zstd and remove the original."""
    packed = path.with_suffix(".dump.zst")
    subprocess.run(
        ["zstd", "-19", "--rm", str(path), "-o", str(packed)],
        check=True,
    )
    return packed


def upload(path: Path) -> None:
    """Copy a packed dump to the bucket."""
    log.info("uploading %s", path.name)
    subprocess.run(
        ["aws", "s3", "cp", "--only-show-errors", str(path), f"{BUCKET}/{path.name}"],
        check=True,
        timeout=1800,
    )


def prune() -> int:
    """Delete local dumps older than KEEP_DAYS and return how many went."""
    limit = date.today() - timedelta(days=KEEP_DAYS)
    removed = 0
    for path in BACKUP_DIR.glob("*.dump.zst"):
        if date.fromtimestamp(path.stat().st_mtime) < limit:
            path.unlink()
            removed += 1
    return removed


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("databases", nargs="+")
    args = parser.parse_args()
    logging.basicConfig(level=logging.INFO)
    password = os.environ["BACKUP_PASSWORD"]
    for database in args.databases:
        upload(compress(dump(database, password)))
    log.info("pruned %d old dumps", prune())


if __name__ == "__main__":
    main()
