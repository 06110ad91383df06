import sys

sys.dont_write_bytecode = True

import asyncio
import warnings

warnings.simplefilter("ignore")

from gallery.publish import publish, withdraw
from gallery.store import MemoryStore

album = {
    "title": "Harbour & Sea",
    "photos": [
        {"name": "b.jpg", "taken": 2, "data": b"gps|" + b"x" * 40},
        {"name": "a.jpg", "taken": 1, "data": b"y" * 40},
    ],
}
store = MemoryStore()
text = asyncio.run(publish(album, store))
assert "grey.png" not in text, text
assert text.index("thumb/a.jpg") < text.index("thumb/b.jpg")
assert store.entries["thumb/b.jpg"] == b"x" * 16
assert store.entries["original/b.jpg"] == b"x" * 40
assert store.entries["index.html"] == text
asyncio.run(withdraw(album, store))
assert store.entries == {}
