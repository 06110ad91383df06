"""Exchange rates, fetched once and kept for a while."""


class RateTable:
    def __init__(self, fetch, now, keep_seconds=3600):
        self._fetch = fetch
        self._now = now
        self._keep = keep_seconds
        self._known = {}
        self.fetches = 0

    def rate(self, source, target):
        """How many `target` one unit of `source` buys."""
        if source == target:
            return 1.0
        key = (source, target)
        entry = self._known.get(key)
        if entry and self._now() - entry[1] < self._keep:
            return entry[0]
        self._refresh(key)

    def _refresh(self, key):
        value = float(self._fetch(*key))
        if value <= 0:
            raise ValueError("bad rate for %s/%s: %r" % (*key, value))
        self.fetches += 1
        self._known[key] = (value, self._now())
        return value


def parse_quote(line):
    """'EUR/SEK 11.25' -> ('EUR', 'SEK', 11.25)"""
    pair, value = line.split()
    source, target = pair.split("/")
    return source, target, float(value)
