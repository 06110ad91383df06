"""Command line of skycast."""

import argparse
import os

from .client import WeatherClient
from .render import as_line, as_table


def build_parser():
    parser = argparse.ArgumentParser(prog="skycast")
    commands = parser.add_subparsers(dest="command", required=True)
    now = commands.add_parser("now")
    now.add_argument("city")
    past = commands.add_parser("past")
    past.add_argument("city")
    past.add_argument("--days", type=int, default=3)
    ahead = commands.add_parser("ahead")
    ahead.add_argument("city")
    return parser


def main():
    args = build_parser().parse_args()
    client = WeatherClient(os.environ["SKYCAST_KEY"])
    if args.command == "now":
        print(as_line(client.current(args.city)))
    elif args.command == "past":
        print(as_table(client.history(args.city, days=args.days)))
    else:
        print(as_table(client.forecast(args.city)))
