"""Runs the jobs of the night, one at a time."""

import threading
import time


class Busy(Exception):
    """Another job is still running."""


class Runner:
    def __init__(self, log):
        self.log = log
        self.lock = threading.Lock()
        self.history = []

    def run(self, name, job):
        """Run one job and return its result; errors go on to the caller."""
        if not self.lock.acquire(blocking=False):
            raise Busy(f"cannot start {name}, another job is still running")
        self.log(f"{name} started")
        begun = time.monotonic()
        try:
            result = job()
        finally:
            self.lock.release()
        self.history.append((name, time.monotonic() - begun))
        self.log(f"{name} finished")
        return result

    def longest(self):
        """Name of the finished job that took the longest."""
        if not self.history:
            return None
        return max(self.history, key=lambda entry: entry[1])[0]
