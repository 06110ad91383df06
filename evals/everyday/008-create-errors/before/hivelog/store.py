"""Keep readings in SQLite."""

import sqlite3
import time

SCHEMA = """
CREATE TABLE IF NOT EXISTS reading (
    taken REAL NOT NULL,
    hive INTEGER NOT NULL,
    temperature REAL,
    humidity REAL,
    weight REAL
)
"""


class Store:
    def __init__(self, path):
        self.db = sqlite3.connect(path)
        self.db.execute(SCHEMA)

    def add(self, reading):
        row = (time.time(), reading.hive, reading.temperature, reading.humidity, reading.weight)
        self.db.execute("INSERT INTO reading VALUES (?, ?, ?, ?, ?)", row)
        self.db.commit()
