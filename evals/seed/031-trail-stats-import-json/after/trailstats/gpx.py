"""Reads GPX tracks and works out what hikers want to know about them.

Distances are in metres, times in seconds, heights in metres above sea level.
"""

import argparse
import csv
import json
import math
import sys
import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path

NAMESPACE = {"g": "http://www.topografix.com/GPX/1/1"}
EARTH_RADIUS = 6_371_000
PAUSE_SPEED = 0.3
MIN_CLIMB = 4.0
STEEP = 0.25


class TrackError(Exception):
    """The file is no track we can use."""


@dataclass(frozen=True)
class Point:
    lat: float
    lon: float
    height: float | None
    time: datetime | None


@dataclass
class Segment:
    points: list[Point] = field(default_factory=list)

    def __len__(self):
        return len(self.points)

    def pairs(self):
        return zip(self.points, self.points[1:])


@dataclass
class Track:
    name: str
    segments: list[Segment]

    def pairs(self):
        for segment in self.segments:
            yield from segment.pairs()

    @property
    def points(self):
        return [point for segment in self.segments for point in segment.points]


@dataclass
class Stats:
    name: str
    distance: float
    climb: float
    descent: float
    moving: timedelta
    resting: timedelta
    highest: float | None
    lowest: float | None
    steep_share: float

    @property
    def speed(self):
        """Mean speed in km/h while moving."""
        seconds = self.moving.total_seconds()
        return 0.0 if seconds == 0 else self.distance / seconds * 3.6

    @property
    def effort(self):
        """Kilometres plus hundreds of metres climbed."""
        return self.distance / 1000 + self.climb / 100


def read_track(path):
    try:
        root = ElementTree.parse(path).getroot()
    except ElementTree.ParseError as error:
        raise TrackError(f"{path}: {error}") from error
    name = root.findtext("g:trk/g:name", default=Path(path).stem, namespaces=NAMESPACE)
    segments = []
    for node in root.iterfind("g:trk/g:trkseg", NAMESPACE):
        segment = Segment([read_point(point) for point in node.iterfind("g:trkpt", NAMESPACE)])
        if len(segment) > 1:
            segments.append(segment)
    if not segments:
        raise TrackError(f"{path}: no track in this file")
    return Track(name.strip(), segments)


def read_point(node):
    height = node.findtext("g:ele", namespaces=NAMESPACE)
    time = node.findtext("g:time", namespaces=NAMESPACE)
    return Point(
        lat=float(node.get("lat")),
        lon=float(node.get("lon")),
        height=None if height is None else float(height),
        time=None if time is None else datetime.fromisoformat(time.replace("Z", "+00:00")),
    )


def distance(a, b):
    """Metres between two points."""
    lat_a, lat_b = math.radians(a.lat), math.radians(b.lat)
    d_lat = lat_b - lat_a
    d_lon = math.radians(b.lon - a.lon)
    h = math.sin(d_lat / 2) ** 2 + math.cos(lat_a) * math.cos(lat_b) * math.sin(d_lon / 2) ** 2
    return 2 * EARTH_RADIUS * math.asin(math.sqrt(h))


def climbs(track):
    """Metres up and down, without the jitter of the barometer."""
    up = down = 0.0
    for segment in track.segments:
        anchor = None
        for point in segment.points:
            if point.height is None:
                continue
            if anchor is None:
                anchor = point.height
                continue
            step = point.height - anchor
            if abs(step) < MIN_CLIMB:
                continue
            if step > 0:
                up += step
            else:
                down -= step
            anchor = point.height
    return up, down


def times(track):
    moving = timedelta()
    resting = timedelta()
    for a, b in track.pairs():
        if a.time is None or b.time is None:
            continue
        passed = b.time - a.time
        seconds = passed.total_seconds()
        if seconds <= 0:
            continue
        if distance(a, b) / seconds < PAUSE_SPEED:
            resting += passed
        else:
            moving += passed
    return moving, resting


def steep_share(track):
    steep = total = 0.0
    for a, b in track.pairs():
        length = distance(a, b)
        total += length
        if length and a.height is not None and b.height is not None:
            if abs(b.height - a.height) / length > STEEP:
                steep += length
    return 0.0 if total == 0 else steep / total


def compute(track):
    heights = [point.height for point in track.points if point.height is not None]
    up, down = climbs(track)
    moving, resting = times(track)
    return Stats(
        name=track.name,
        distance=sum(distance(a, b) for a, b in track.pairs()),
        climb=up,
        descent=down,
        moving=moving,
        resting=resting,
        highest=max(heights, default=None),
        lowest=min(heights, default=None),
        steep_share=steep_share(track),
    )


def profile(track, columns=60, rows=8):
    """A small height profile made of characters."""
    marks = []
    walked = 0.0
    last = None
    for point in track.points:
        if last is not None:
            walked += distance(last, point)
        if point.height is not None:
            marks.append((walked, point.height))
        last = point
    if len(marks) < 2:
        return ""
    low = min(height for _, height in marks)
    high = max(height for _, height in marks)
    span = max(high - low, 1.0)
    heights = [low] * columns
    for at, height in marks:
        column = min(columns - 1, int(at / max(walked, 1.0) * columns))
        heights[column] = max(heights[column], height)
    lines = []
    for row in range(rows, 0, -1):
        edge = low + span * (row - 0.5) / rows
        lines.append("".join("#" if height >= edge else " " for height in heights).rstrip())
    return "\n".join(lines)


def format_time(span):
    minutes = round(span.total_seconds() / 60)
    return f"{minutes // 60}:{minutes % 60:02}"


def as_text(stats):
    lines = [
        stats.name,
        f"  distance  {stats.distance / 1000:.1f} km",
        f"  up/down   {stats.climb:.0f} m / {stats.descent:.0f} m",
        f"  moving    {format_time(stats.moving)} h at {stats.speed:.1f} km/h",
        f"  resting   {format_time(stats.resting)} h",
    ]
    if stats.highest is not None:
        lines.append(f"  heights   {stats.lowest:.0f} m to {stats.highest:.0f} m")
    if stats.steep_share > 0.1:
        lines.append(f"  steep     {stats.steep_share:.0%} of the way")
    return "\n".join(lines)


def as_dict(stats):
    return {
        "name": stats.name,
        "distance": round(stats.distance),
        "climb": round(stats.climb),
        "descent": round(stats.descent),
        "moving": round(stats.moving.total_seconds()),
        "resting": round(stats.resting.total_seconds()),
        "effort": round(stats.effort, 1),
    }


def write_csv(all_stats, out):
    rows = [as_dict(stats) for stats in all_stats]
    writer = csv.DictWriter(out, fieldnames=list(rows[0]))
    writer.writeheader()
    writer.writerows(rows)


def write_json(all_stats, out):
    json.dump([as_dict(stats) for stats in all_stats], out, indent=2, ensure_ascii=False)
    out.write("\n")


def write_text(all_stats, out):
    for stats in all_stats:
        print(as_text(stats), file=out)
        print(file=out)


WRITERS = {"text": write_text, "csv": write_csv, "json": write_json}


def main(arguments=None):
    parser = argparse.ArgumentParser(description="Statistics of GPX tracks")
    parser.add_argument("tracks", nargs="+", type=Path, metavar="GPX")
    parser.add_argument("--format", choices=sorted(WRITERS), default="text")
    parser.add_argument("--profile", action="store_true", help="draw the heights")
    parser.add_argument("--sort", choices=("name", "distance", "climb", "effort"), default="name")
    options = parser.parse_args(arguments)

    found = []
    failed = False
    for path in options.tracks:
        try:
            track = read_track(path)
        except (OSError, TrackError) as error:
            print(error, file=sys.stderr)
            failed = True
            continue
        found.append(compute(track))
        if options.profile:
            print(profile(track))

    if found:
        found.sort(key=lambda stats: getattr(stats, options.sort))
        WRITERS[options.format](found, sys.stdout)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
