"""On-disk cache of thumbnails."""

import hashlib
import logging
import time
from pathlib import Path

from PIL import Image

log = logging.getLogger(__name__)

SIZES = {"small": (160, 160), "medium": (480, 480), "large": (1280, 1280)}
MAX_AGE = 30 * 24 * 3600


class ThumbnailCache:
    def __init__(self, root):
        self.root = Path(root)
        self.root.mkdir(parents=True, exist_ok=True)

    def path_for(self, source, size):
        """Return where the thumbnail of a picture lies."""
        digest = hashlib.sha1(str(source).encode()).hexdigest()
        return self.root / digest[:2] / f"{digest}-{size}.webp"

    def get(self, source, size="medium"):
        """Return the thumbnail of a picture, making it if needed."""
        target = self.path_for(source, size)
        if target.exists() and target.stat().st_mtime >= Path(source).stat().st_mtime:
            return target
        return self.render(source, size)

    def render(self, source, size):
        """Make a thumbnail, whether there is one or not."""
        target = self.path_for(source, size)
        target.parent.mkdir(exist_ok=True)
        started = time.monotonic()
        with Image.open(source) as picture:
            picture.thumbnail(SIZES[size])
            picture.save(target, "WEBP", quality=82)
        log.debug("rendered %s in %.2fs", target.name, time.monotonic() - started)
        return target

    def forget(self, source):
        """Delete all thumbnails of one picture."""
        count = 0
        for size in SIZES:
            target = self.path_for(source, size)
            if target.exists():
                target.unlink()
                count += 1
        log.debug("forgot %d thumbnails of %s", count, source)
        return count

    def purge_stale(self, max_age=MAX_AGE):
        """Delete thumbnails nobody has asked for in a while."""
        limit = time.time() - max_age
        count = 0
        for target in self.root.glob("*/*.webp"):
            if target.stat().st_atime < limit:
                target.unlink()
                count += 1
        log.info("removed %d stale thumbnails", count)
        return count

    def clear(self):
        """Delete everything."""
        count = 0
        for target in self.root.glob("*/*.webp"):
            target.unlink()
            count += 1
        log.info("removed all %d thumbnails", count)
        return count

    def disk_usage(self):
        """Return the size of the cache in bytes."""
        return sum(target.stat().st_size for target in self.root.glob("*/*.webp"))
