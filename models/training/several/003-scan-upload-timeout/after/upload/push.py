"""Push scanned pages to the archive."""

import logging
from pathlib import Path

import requests

log = logging.getLogger(__name__)

TIMEOUT = 20
ENDPOINT = "https://archive.example.org/api/pages"


def push_page(session, path, token):
    """Upload one page; True if the archive took it."""
    with path.open("rb") as file:
        answer = session.post(
            ENDPOINT,
            files={"page": file},
            headers={"Authorization": f"Bearer {token}"},
            timeout=TIMEOUT,
        )
    if answer.status_code == 409:
        log.warning("%s is already in the archive", path.name)
        return True
    if not answer.ok:
        log.error("upload of %s failed: %s", path.name, answer.status_code)
        return False
    log.info("uploaded %s", path.name)
    return True


def push_folder(folder, token):
    """Upload all pages of a folder; returns those that failed."""
    session = requests.Session()
    pages = sorted(Path(folder).glob("*.tif"))
    return [page for page in pages if not push_page(session, page, token)]
