"""Settings of the pump daemon."""

import tomllib
from dataclasses import dataclass
from pathlib import Path

FILE = Path("/etc/pump") / "pump.toml"


@dataclass(frozen=True)
class Settings:
    pin: int
    low: float
    high: float
    interval: float = 30.0


def load(path=FILE):
    """The settings of a file."""
    with open(path, "rb") as file:
        return Settings(**tomllib.load(file))
