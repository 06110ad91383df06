import sys
from pathlib import Path

from PIL import Image

SIZE = (256, 256)


def make_thumb(src: Path, dst: Path) -> None:
    with Image.open(src) as img:
        img.thumbnail(SIZE)
        img.save(dst, quality=85)


def main() -> None:
    for name in sys.argv[1:]:
        src = Path(name)
        make_thumb(src, src.with_suffix(".thumb.jpg"))


main()
