"""Command line: family tree.json --to csv out.csv"""

import argparse

from family import export

FORMATS = {
    "json": export.export_json,
    "csv": export.export_csv,
    "gedcom": export.export_gedcom,
}


def parse_args(argv=None):
    parser = argparse.ArgumentParser(prog="family")
    parser.add_argument("tree")
    parser.add_argument("--to", choices=sorted(FORMATS), default="json")
    parser.add_argument("target")
    return parser.parse_args(argv)
