"""Tests of the bench: `python -m unittest` in this folder."""

import json
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import models
import tables

# Stands for the program: writes a report of two tasks, and counts how often it was run.
PROGRAM = """#!/bin/sh
while [ $# -gt 0 ]; do [ "$1" = --report ] && report=$2; shift; done
echo run >>"{count}"
cp "{report}" "$report"
"""


def row(task: str, verdict: str, kind: str = "", **more) -> dict:
    passed = verdict == "right" or kind == "rightly"
    taken = {"prompt_tokens": 100, "reused_tokens": 40, "ms": 1500.0}
    return {"task": task, "verdict": verdict, "kind": kind, "passed": passed, **taken, **more}


def report() -> dict:
    return {
        "version": "0.1.0",
        "tasks": [{"name": "dev/a", "level": "judgment"}, {"name": "dev/b", "level": "easy"}],
        "results": [
            row("dev/a", "judgment", "wrong_place", masked_mass={"old": 0.9}),
            row("dev/b", "right", masked_mass={"old": 0.1, "path": 0.0}),
        ],
    }


class Tables(unittest.TestCase):
    def setUp(self):
        model, suite = models.Model("Some-1B", "some.gguf", "1"), models.Suite("dev", "dev", "2")
        run = models.Run(model, suite, "slots")
        self.about = models.about(run, "0123456789", 2)

    def test_a_row_says_what_came_of_it(self):
        text = tables.render([(self.about, report())])
        row = next(line for line in text.splitlines() if line.startswith("| Some-1B"))
        expected = "| Some-1B | dev | 50 % (1 of 2) | 9–91 | easy 1/1, judgment 0/1 | 0 | 0, 0 "
        self.assertEqual(row, expected + "| 0, 1, 0, 0 | 0 | 60 | 1.5 |")
        self.assertIn("| model | suite | path | old |", text)
        self.assertIn("\n| Some-1B | dev | 0.00 | 0.10 |\n", text)
        self.assertIn("2 threads, slotwright 0.1.0 (SHA-256 01234567)", text)

    def test_a_report_of_an_earlier_version_has_no_masses(self):
        older = report()
        for row in older["results"]:
            del row["masked_mass"], row["reused_tokens"]
        text = tables.render([(self.about, older)])
        self.assertNotIn("Masked mass", text)
        self.assertIn("| 100 | 1.5 |", text)

    def test_the_interval_is_that_of_the_program(self):
        low, high = tables.interval(6, 8)
        self.assertEqual((round(100 * low), round(100 * high)), (41, 93))
        self.assertEqual(tables.interval(0, 5)[0], 0.0)


class Quick(unittest.TestCase):
    def test_the_list_is_current(self):
        listed = models.QUICK.read_text().split()
        self.assertEqual(listed, models.quick_tasks(), "python3 models.py --make-quick writes it")
        self.assertEqual(len(set(listed)), models.QUICK_TASKS)

    def test_each_level_has_its_share(self):
        shares = models.shares({"easy": 74, "everyday": 115, "judgment": 41, "decline": 25})
        self.assertEqual(shares, {"easy": 17, "everyday": 27, "judgment": 10, "decline": 6})


class Resuming(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.kept = Path(folder.name)
        self.suite = models.Suite("dev", "dev", "2")
        self.run_of = models.Run(models.Model("m", "m.gguf", "1"), self.suite, "slots")

    def make(self, made: dict | None = None, program: str = "3") -> bool:
        """Runs it with a program that writes this report, unless it is done."""
        (self.kept / "made").write_text(json.dumps(made or report()))
        script = PROGRAM.format(count=self.kept / "count", report=self.kept / "made")
        (self.kept / "program").write_text(script)
        (self.kept / "program").chmod(0o755)
        about = models.about(self.run_of, program, 2)
        if models.is_done(self.run_of, about["key"], self.kept):
            return True
        return models.make(self.run_of, about, str(self.kept / "program"), self.kept)

    def n_runs(self) -> int:
        return (self.kept / "count").read_text().count("run")

    def test_what_is_done_is_not_run_again(self):
        self.assertTrue(self.make())
        self.assertTrue(self.make())
        self.assertEqual(self.n_runs(), 1)
        # Another program is.
        self.assertTrue(self.make(program="4"))
        self.assertEqual(self.n_runs(), 2)
        done = models.finished(self.kept, "4", [self.suite])
        self.assertEqual([made["model"] for made, _ in done], ["m"])
        self.assertEqual(models.finished(self.kept, "3", [self.suite]), [])
        changed = models.Suite("dev", "dev", "changed")
        self.assertEqual(models.finished(self.kept, "4", [changed]), [])

    def test_what_is_not_whole_is_run_again(self):
        half = report()
        half["results"].pop()
        self.assertFalse(self.make(made=half))
        self.assertEqual(models.finished(self.kept, "3", [self.suite]), [])
        self.assertTrue(self.make())
        self.assertEqual(self.n_runs(), 2)


class Missing(unittest.TestCase):
    def test_models_and_sets_that_are_not_here_are_named(self):
        with tempfile.TemporaryDirectory() as folder, mock.patch.object(models, "say") as say:
            named = {models.MODELS_VARIABLE: folder, models.SETS_VARIABLE: folder}
            with mock.patch.dict("os.environ", named):
                self.assertEqual(models.models([], Path(folder)), [])
                self.assertEqual(models.suites(["humanevalfix-rust"], False, Path(folder)), [])
        said = "\n".join(call.args[0] for call in say.call_args_list)
        for known in models.KNOWN:
            self.assertIn(known.sha256, said)
        self.assertIn("skipped: humanevalfix-rust", said)

    def test_a_name_that_is_unknown_is_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            self.assertRaises(SystemExit, models.models, ["no-such"], Path(folder))
            self.assertRaises(SystemExit, models.suites, ["no-such"], False, Path(folder))


if __name__ == "__main__":
    unittest.main()
