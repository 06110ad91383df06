"""The journal of the car park gate."""

from datetime import datetime


class Journal:
    def __init__(self, path):
        self.path = path

    def note(self, plate, direction, now=None):
        """Append one passage."""
        now = now or datetime.now()
        stamp = now.strftime("%Y-%m-%d %H:%M:%S")
        with open(self.path, "a", encoding="utf-8") as file:
            file.write(f"{stamp}\t{plate}\t{direction}\n")

    def clear(self):
        """Start an empty journal."""
        open(self.path, "w").close()
