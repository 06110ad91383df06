"""SQLite storage for jars and loans."""

import sqlite3
from contextlib import contextmanager
from datetime import date, timedelta

from .settings import Settings

SCHEMA = """
CREATE TABLE IF NOT EXISTS jar (
    id INTEGER PRIMARY KEY,
    label TEXT NOT NULL,
    species TEXT NOT NULL,
    grams REAL NOT NULL DEFAULT 0,
    harvested TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS loan (
    id INTEGER PRIMARY KEY,
    jar_id INTEGER NOT NULL REFERENCES jar(id),
    member TEXT NOT NULL,
    grams REAL NOT NULL,
    due TEXT NOT NULL,
    returned INTEGER NOT NULL DEFAULT 0
);
"""


class NotEnoughSeed(Exception):
    """Raised when a loan asks for more than the jar holds."""


class Store:
    def __init__(self, settings: Settings):
        self.settings = settings
        self.conn = sqlite3.connect(settings.db_path, timeout=settings.busy_timeout)
        self.conn.row_factory = sqlite3.Row
        self.conn.executescript(SCHEMA)

    @contextmanager
    def transaction(self):
        try:
            yield self.conn
            self.conn.commit()
        except Exception:
            self.conn.rollback()
            raise

    def add_jar(self, label, species, grams, harvested=None):
        harvested = harvested or date.today()
        with self.transaction() as c:
            cur = c.execute(
                "INSERT INTO jar (label, species, grams, harvested) VALUES (?, ?, ?, ?)",
                (label, species.lower(), grams, harvested.isoformat()),
            )
        return cur.lastrowid

    def get_jar(self, jar_id):
        row = self.conn.execute("SELECT * FROM jar WHERE id = ?", (jar_id,)).fetchone()
        return dict(row)

    def list_jars(self, species=None):
        if species is None:
            rows = self.conn.execute("SELECT * FROM jar ORDER BY label")
        else:
            rows = self.conn.execute(
                "SELECT * FROM jar WHERE species = ? ORDER BY label", (species,)
            )
        return [dict(r) for r in rows]

    def lend(self, jar_id, member, grams):
        jar = self.get_jar(jar_id)
        if grams >= jar["grams"]:
            raise NotEnoughSeed(f"jar {jar_id} holds only {jar['grams']} g")
        due = date.today() + timedelta(days=self.settings.loan_days)
        with self.transaction() as c:
            c.execute("UPDATE jar SET grams = grams - ? WHERE id = ?", (grams, jar_id))
            c.execute(
                "INSERT INTO loan (jar_id, member, grams, due) VALUES (?, ?, ?, ?)",
                (jar_id, member, grams, due.isoformat()),
            )
        return due

    def open_loans(self):
        rows = self.conn.execute("SELECT * FROM loan WHERE returned = 0 ORDER BY due")
        return [dict(r) for r in rows]

    def is_stale(self, jar):
        age = date.today() - date.fromisoformat(jar["harvested"])
        return age.days > self.settings.max_age_years * 365
