"""Report on the winter bird count."""

import argparse
import csv
from collections import Counter


def read_counts(path, year, site):
    """Individuals per species."""
    counts = Counter()
    with open(path, newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            if int(row["year"]) != year:
                continue
            if site and row["site"] != site:
                continue
            counts[row["species"]] += int(row["individuals"])
    return counts


def build_parser():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("path", help="the CSV file of the count")
    parser.add_argument("--year", type=int, default=2024, help="year of the count")
    parser.add_argument("--site", default="", help="only this site")
    return parser


def main():
    args = build_parser().parse_args()
    counts = read_counts(args.path, args.year, args.site)
    print(f"{args.year}: {sum(counts.values())} birds, {len(counts)} species")
    for place, (species, number) in enumerate(counts.most_common(10), start=1):
        print(f"{place:3} {species:24} {number:6}")


if __name__ == "__main__":
    main()
