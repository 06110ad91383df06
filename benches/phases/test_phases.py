"""Tests of phases.py that need no model."""

import unittest

import phases
from phases import Phases, Program


class Figures(unittest.TestCase):
    def test_what_an_edit_took(self):
        ms = {"load": 500, "prompt": 1000, "answer": 700, "total": 2300}
        stages = [
            {"prompt_tokens": 206, "reused_tokens": 0, "evaluations": 2},
            {"prompt_tokens": 220, "reused_tokens": 219, "evaluations": 10},
        ]
        edit = Phases.of({"ms": ms, "stages": stages})
        self.assertEqual(edit, Phases(500, 1000, 700, 100, 207, 12))
        self.assertEqual(edit.total, 2300)
        three = [Phases(*[n] * 6) for n in (1, 9, 4)]
        self.assertEqual(Phases.median(three), Phases(*[4] * 6))

    def test_programs(self):
        program = Program.named("spinning=/nowhere/x,A=1,B=c=d")
        self.assertEqual(program.variables, {"A": "1", "B": "c=d"})
        self.assertEqual((program.label, program.path), ("spinning", "/nowhere/x"))
        self.assertRaises(SystemExit, Program.named, "/bin/x")


class Tables(unittest.TestCase):
    def test_tables(self):
        ours, other = Phases(500, 1000, 500, 10, 207, 12), Phases(500, 1500, 750, 10, 207, 12)
        by_model = {"M": {"ours": [ours], "other": [other], "again": [ours]}}
        programs = [Program.named("ours=/x"), Program.named("other=/y")]
        table = phases.phases_table(by_model, "ours")
        self.assertIn("| M, cold | 500 | 1,000 | 207 | 500 | 12 | 10 | 2,010 |", table)
        self.assertIn("| other | 1.50× | 1.50× | 1.37× |", phases.others_table(by_model, programs))


if __name__ == "__main__":
    unittest.main()
