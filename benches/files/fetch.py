#!/usr/bin/env python3
"""Fetches the packages of the sentences beside this file: `fetch.py FOLDER`.

Each package is unpacked into FOLDER/NAME-VERSION. FOLDER should be outside the repository, so that
no ignore file hides any of them. Standard library only.
"""

import io
import json
import sys
import tarfile
import urllib.request
import zipfile
from collections import defaultdict
from pathlib import Path, PurePosixPath

# The registries ask for a name.
AGENT = {"User-Agent": "slotwright-benches-files"}


def get(url: str, **headers: str) -> bytes:
    with urllib.request.urlopen(urllib.request.Request(url, headers=AGENT | headers)) as answer:
        return answer.read()


def archive_urls(registry: str, name: str, version: str) -> list[str]:
    if registry == "crates":
        return [f"https://static.crates.io/crates/{name}/{name}-{version}.crate"]
    if registry == "npm":
        return [f"https://registry.npmjs.org/{name}/-/{name.rsplit('/')[-1]}-{version}.tgz"]
    index = get(f"https://pypi.org/simple/{name}/", Accept="application/vnd.pypi.simple.v1+json")
    files = [
        file
        for file in json.loads(index)["files"]
        if file["filename"].lower().startswith((f"{name}-{version}-", f"{name}-{version}.tar"))
    ]
    # Wheels, and then what they are built from.
    files.sort(key=lambda file: not file["filename"].endswith(".whl"))
    return [file["url"] for file in files]


def members(url: str, data: bytes):
    """The files of an archive: path and bytes."""
    if url.endswith((".whl", ".zip")):
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            for name in archive.namelist():
                if not name.endswith("/"):
                    yield name, archive.read(name)
        return
    with tarfile.open(fileobj=io.BytesIO(data)) as archive:
        for member in archive:
            if member.isfile():
                # Below one folder, which is named after the package.
                yield member.name.split("/", 1)[-1], archive.extractfile(member).read()


def main(folder: Path) -> None:
    paths = defaultdict(set)
    for sentences in sorted(Path(__file__).parent.glob("sentences-*.jsonl")):
        for line in sentences.read_text().splitlines():
            sentence = json.loads(line)
            package = (sentence["registry"], sentence["package"], sentence["version"])
            paths[package].add(sentence["path"])
    for (registry, name, version), wanted in sorted(paths.items()):
        root = folder / f"{name}-{version}"
        if root.exists():
            continue
        for url in archive_urls(registry, name, version):
            files = dict(members(url, get(url)))
            if wanted <= files.keys():
                break
        else:
            sys.exit(f"no archive of {name} {version} has all files of the sentences")
        for path, data in files.items():
            if ".." in PurePosixPath(path).parts or path.startswith("/"):
                sys.exit(f"{url} has a file outside its folder: {path}")
            target = root / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)
        print(root)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(Path(sys.argv[1]))
