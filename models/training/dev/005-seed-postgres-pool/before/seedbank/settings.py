"""Settings with their defaults."""

from dataclasses import dataclass
from pathlib import Path

DEFAULT_DB = Path.home() / ".local/share/seedbank/jars.sqlite"


@dataclass
class Settings:
    db_path: Path = DEFAULT_DB
    max_age_years: int = 4
    loan_days: int = 180
    busy_timeout: float = 5.0
    currency: str = "EUR"
