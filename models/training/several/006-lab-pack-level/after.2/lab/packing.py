"""Packing the measurements of the lab."""

import zipfile
from pathlib import Path


def measured_files(folder):
    """All raw files of a folder, oldest first."""
    files = Path(folder).rglob("*.raw")
    return sorted(files, key=lambda path: path.stat().st_mtime)


def pack(folder, target, level=6):
    """Pack the raw files of a folder; returns how many there were."""
    number = 0
    with zipfile.ZipFile(
        target,
        "w",
        compression=zipfile.ZIP_DEFLATED,
        compresslevel=level,
    ) as archive:
        for path in measured_files(folder):
            archive.write(path, path.relative_to(folder))
            number += 1
    return number
