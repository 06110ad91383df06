"""HTTP client for the weather service."""

import requests

BASE_URL = "https://api.skycast.example/v2"


class WeatherError(Exception):
    """Raised when the service answers with an error."""


class WeatherClient:
    def __init__(self, key, timeout=10):
        self.key = key
        self.timeout = timeout

    def current(self, city, units="metric"):
        """Return the weather of right now."""
        return self._get("current", city=city, units=units)

    def forecast(self, city, days=3, units="metric"):
        """Return one entry per day, starting tomorrow."""
        return self._get("forecast", city=city, days=days, units=units)["days"]

    def history(self, city, days=3, units="metric"):
        """Return one entry per day, ending yesterday."""
        return self._get("history", city=city, days=days, units=units)["days"]

    def alerts(self, city):
        """Return the active warnings of a city, worst first."""
        found = self._get("alerts", city=city)["alerts"]
        return sorted(found, key=lambda alert: -alert["severity"])

    def _get(self, path, **params):
        params["key"] = self.key
        answer = requests.get(f"{BASE_URL}/{path}", params=params, timeout=self.timeout)
        if answer.status_code != 200:
            raise WeatherError(f"{path}: {answer.status_code}")
        return answer.json()
