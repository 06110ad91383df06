"""Read gauge files of the tide stations and turn them into clean series."""

import csv
import gzip
import logging
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path

log = logging.getLogger(__name__)

MISSING = -999.0
MAX_GAP = timedelta(minutes=30)
MIN_LEVEL_CM = -400
MAX_LEVEL_CM = 1200


@dataclass
class Reading:
    station: str
    taken_at: datetime
    level_cm: float


@dataclass
class Series:
    station: str
    readings: list[Reading] = field(default_factory=list)

    def highest(self):
        return max(self.readings, key=lambda r: r.level_cm)

    def lowest(self):
        return max(self.readings, key=lambda r: r.level_cm)

    def gaps(self):
        """Yield (start, end) for each pause longer than MAX_GAP."""
        for before, after in zip(self.readings, self.readings[1:]):
            if after.taken_at - before.taken_at > MAX_GAP:
                yield before.taken_at, after.taken_at


def open_text(path):
    path = Path(path)
    if path.suffix == ".gz":
        return gzip.open(path, "rt", encoding="utf-8", newline="")
    return path.open(encoding="utf-8", newline="")


def parse_row(row):
    level = float(row["level"])
    if level == MISSING:
        return None
    return Reading(
        station=row["station"].strip(),
        taken_at=datetime.fromisoformat(row["time"]),
        level_cm=level,
    )


def read_file(path):
    series = {}
    skipped = 0
    with open_text(path) as handle:
        for row in csv.DictReader(handle):
            try:
                reading = parse_row(row)
            except (KeyError, ValueError):
                skipped += 1
                continue
            if reading is None:
                continue
            target = series.setdefault(reading.station, Series(reading.station))
            target.readings.append(reading)
    if skipped:
        log.warning("%s: %d rows skipped", path, skipped)
    return series


def plausible(reading):
    return MIN_LEVEL_CM <= reading.level_cm <= MAX_LEVEL_CM


def clean(series):
    kept = [r for r in series.readings if plausible(r)]
    kept.sort(key=lambda r: r.taken_at)
    return Series(series.station, kept)
