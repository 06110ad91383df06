"""Which files of a site are uploaded."""

import pathlib

SKIPPED_SUFFIXES = (".bak", ".tmp", ".orig")
SKIPPED_FOLDERS = {"node_modules", "drafts"}


def is_wanted(path):
    """Whether a file is to be uploaded; the path is relative to the site."""
    path = pathlib.PurePosixPath(path)
    if SKIPPED_FOLDERS & set(path.parts[:-1]):
        return False
    if path.name.endswith(SKIPPED_SUFFIXES) or path.name.startswith("~"):
        return False
    return True


def is_page(path):
    """Pages are uploaded last, after all that they refer to."""
    return path.endswith((".html", ".htm"))


def upload_list(paths):
    wanted = [path for path in paths if is_wanted(path)]
    return sorted(wanted, key=lambda path: (is_page(path), path))
