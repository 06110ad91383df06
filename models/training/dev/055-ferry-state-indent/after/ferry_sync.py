"""Pulls ferry departures and posts delays to a chat room."""

import asyncio
import json
import logging
import os
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from pathlib import Path

import httpx

log = logging.getLogger("ferry")

API = "https://ferries.example.com/api/departures"
ROOM = os.environ.get("FERRY_ROOM", "#harbour")
STATE_FILE = Path("state.json")
POLL_SECONDS = 60
MIN_DELAY = timedelta(minutes=5)


@dataclass
class Departure:
    line: str
    port: str
    planned: datetime
    expected: datetime
    cancelled: bool = False
    notes: list[str] = field(default_factory=list)

    @property
    def delay(self) -> timedelta:
        return self.expected - self.planned

    @property
    def key(self) -> str:
        return f"{self.line}/{self.planned.isoformat()}"


def parse(raw: dict) -> Departure:
    return Departure(
        line=raw["line"],
        port=raw["port"],
        planned=datetime.fromisoformat(raw["planned"]),
        expected=datetime.fromisoformat(raw.get("expected")),
        cancelled=raw.get("status") == "cancelled",
        notes=raw.get("notes", []),
    )


class State:
    """Remembers what was announced already."""

    def __init__(self, path: Path = STATE_FILE):
        self.path = path
        self.seen: dict[str, int] = {}

    def load(self) -> None:
        if self.path.exists():
            self.seen = json.loads(self.path.read_text())

    def save(self) -> None:
        self.path.write_text(json.dumps(self.seen, indent=2))

    def is_news(self, dep: Departure) -> bool:
        minutes = int(dep.delay.total_seconds() // 60)
        return self.seen.get(dep.key) != minutes

    def remember(self, dep: Departure) -> None:
        self.seen[dep.key] = int(dep.delay.total_seconds() // 60)


def message_for(dep: Departure) -> str:
    when = dep.planned.strftime("%H:%M")
    if dep.cancelled:
        return f"Line {dep.line} at {when} from {dep.port} is cancelled."
    minutes = int(dep.delay.total_seconds() // 60)
    return f"Line {dep.line} at {when} from {dep.port} is {minutes} min late."


async def fetch(client: httpx.AsyncClient) -> list[Departure]:
    resp = await client.get(API, params={"hours": 3})
    resp.raise_for_status()
    return [parse(raw) for raw in resp.json()["departures"]]


async def post(client: httpx.AsyncClient, text: str) -> None:
    hook = os.environ["FERRY_WEBHOOK"]
    await client.post(hook, json={"channel": ROOM, "text": text})


async def tick(client: httpx.AsyncClient, state: State) -> None:
    now = datetime.now(timezone.utc)
    for dep in await fetch(client):
        if dep.planned < now:
            continue
        if not dep.cancelled and dep.delay < MIN_DELAY:
            continue
        if state.is_news(dep):
            post(client, message_for(dep))
            state.remember(dep)
    state.save()


async def run() -> None:
    state = State()
    state.load()
    async with httpx.AsyncClient(timeout=15) as client:
        while True:
            try:
                await tick(client, state)
            except httpx.HTTPError as exc:
                log.warning("poll failed: %s", exc)
            await asyncio.sleep(POLL_SECONDS)


if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO)
    asyncio.run(run())
