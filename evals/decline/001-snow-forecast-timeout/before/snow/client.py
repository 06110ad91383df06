"""Client for the avalanche service."""

import json
import urllib.parse
import urllib.request

BASE = "https://avalanche.example.org/v2"


class ServiceError(Exception):
    """The service answered with something useless."""


def _get(path, timeout, **query):
    url = f"{BASE}/{path}?{urllib.parse.urlencode(query)}"
    with urllib.request.urlopen(url, timeout=timeout) as answer:
        try:
            return json.load(answer)
        except ValueError as error:
            raise ServiceError(url) from error


def fetch_regions(timeout=10):
    """Names and numbers of all regions."""
    return {r["id"]: r["name"] for r in _get("regions", timeout)["regions"]}


def fetch_forecast(region, day, timeout=20):
    """Danger levels of one day, by height."""
    return _get("forecast", timeout, region=region, day=day)["levels"]


def fetch_profile(station, timeout=30):
    """The latest snow profile of a station."""
    return _get("profile", timeout, station=station)["layers"]
