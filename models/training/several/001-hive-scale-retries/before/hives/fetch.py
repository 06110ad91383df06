"""Fetching readings from the hive scales."""

import json
import random
import time
import urllib.request

MAX_TRIES = 5
BASE_WAIT = 0.5


class ScaleError(Exception):
    """The scale did not answer."""


def wait_before(attempt):
    """Seconds to wait before the given attempt."""
    return BASE_WAIT * 2**attempt + random.uniform(0, 0.3)


def read_scale(url):
    """The last reading of one scale, as a dict."""
    for attempt in range(MAX_TRIES):
        if attempt:
            time.sleep(wait_before(attempt))
        try:
            with urllib.request.urlopen(url, timeout=5) as answer:
                return json.load(answer)
        except OSError:
            continue
    raise ScaleError(f"no answer from {url}")


def read_all(urls):
    """Readings by url; scales that do not answer are left out."""
    readings = {}
    for url in urls:
        try:
            readings[url] = read_scale(url)
        except ScaleError:
            pass
    return readings
