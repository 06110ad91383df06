"""Tests of real.py that need no model: tasks, verdicts, what is kept, the tables."""

import json
import subprocess
import tempfile
import unittest
from pathlib import Path

import real


class Tasks(unittest.TestCase):
    def test_what_is_right_is_judged_by_bytes(self):
        task = real.Task("t", "s", {"a": b"1", "b": b"2"}, ({"a": b"3"}, {"c": b"4"}))
        self.assertEqual(task.path, "a")
        self.assertEqual(task.verdict({"a": b"1", "b": b"2"}), "unchanged")
        self.assertEqual(task.verdict({"a": b"3", "b": b"2"}), "right")
        self.assertEqual(task.verdict({"a": b"1", "b": b"2", "c": b"4"}), "right")
        self.assertEqual(task.verdict({"a": b"3"}), "wrong")
        declined = real.Task("t", "s", {"a": b"1"}, ())
        self.assertEqual(declined.verdict({"a": b"1"}), "right")
        self.assertEqual(declined.verdict({"a": b"2"}), "wrong")

    def test_every_fourth_task_is_in_a_long_file(self):
        names = [task.name for task in real.tasks(3)]
        self.assertEqual(len(names), 3)
        self.assertEqual(len(set(names)), 3)
        try:
            long = real.long_tasks()
        except (subprocess.CalledProcessError, FileNotFoundError):
            self.skipTest("the history of this clone is too short")
        self.assertEqual(len(long), 10)
        for task in long:
            self.assertGreaterEqual(task.before[task.path].count(b"\n"), 300, task.name)


class Measuring(unittest.TestCase):
    def test_an_edit_is_made_in_a_folder_of_its_own(self):
        task = real.Task("t", "s", {"d/a": b"1"}, ({"d/a": b"2"},))

        def edit(setting):
            self.assertEqual(setting.text("d/a"), "1")
            (setting.folder / "d/a").write_text("2")
            return real.Outcome(read=5, written=6)

        row = real.measured(task, edit)
        self.assertEqual((row["verdict"], row["read"], row["written"]), ("right", 5, 6))

        def slow(_):
            raise subprocess.TimeoutExpired("x", 1)

        declined = real.Task("t", "s", {"d/a": b"1"}, ())
        for unanswered in (task, declined):
            row = real.measured(unanswered, slow)
            self.assertEqual(row["verdict"], "failed")
            self.assertIn("longer than", row["failed"])

    def test_what_was_measured_is_kept_until_something_changes(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "kept/a.jsonl"
            real.Kept(path, {"model": "1"}).add({"task": "t", "verdict": "right"})
            self.assertEqual(list(real.Kept(path, {"model": "1"}).rows), ["t"])
            self.assertEqual(real.Kept(path, {"model": "2"}).rows, {})
            self.assertEqual(len(path.read_text().splitlines()), 1)

    def test_schemas_and_counts(self):
        schema = real.strings(path=["a"], new=None)
        self.assertEqual(schema["properties"]["path"]["enum"], ["a"])
        self.assertNotIn("enum", schema["properties"]["new"])
        self.assertEqual(real.parsed('{"old": "a'), {})
        self.assertEqual((real.tokens("2.1k"), real.tokens("85")), (2100, 85))


class Table(unittest.TestCase):
    def test_a_row_has_verdicts_and_medians(self):
        row = {"verdict": "right", "seconds": 2.0, "read": 10, "written": 3}
        table = real.table({"slotwright": [row, row | {"verdict": "failed"}]})
        self.assertIn("| 1 of 2 | 1 | 0 | 2.0 (2) | 10 | 3 |", table[-1])


if __name__ == "__main__":
    unittest.main()
