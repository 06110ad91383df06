"""Where published albums are kept."""


class MemoryStore:
    """Keeps everything in memory; for previews and tests."""

    def __init__(self):
        self.entries = {}

    async def put(self, name, data):
        self.entries[name] = data

    async def has(self, name):
        return name in self.entries

    async def remove(self, name):
        self.entries.pop(name, None)
