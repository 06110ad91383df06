import argparse
import hashlib
from pathlib import Path


def main():
    parser = argparse.ArgumentParser(description="find duplicate files")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--limit", type=int, default=100)
    parser.add_argument("--verbose", action="store_true", help="print more")
    args = parser.parse_args()

    seen = {}
    for path in sorted(args.folder.rglob("*"))[: args.limit]:
        if not path.is_file():
            continue
        digest = hashlib.sha1(path.read_bytes()).hexdigest()
        if digest in seen:
            print(f"{path} = {seen[digest]}")
        else:
            seen[digest] = path


if __name__ == "__main__":
    main()
