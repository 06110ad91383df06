"""Tests of sketches.py that need no model and no history."""

import unittest
from collections import Counter

import sketches

BEFORE = "".join(f"line {i}\n" for i in range(40))


class Drafts(unittest.TestCase):
    def test_what_stays_is_left_out(self):
        after = BEFORE.replace("line 20\n", "other\n")
        made = sketches.sketch("a.py", BEFORE, after, around=1)
        marker = "# ... existing code ...\n"
        self.assertEqual(made.draft, f"{marker}line 19\nother\nline 21\n{marker}")
        self.assertEqual(made.around, 1)
        made = sketches.sketch("a.rs", BEFORE, BEFORE.replace("line 20\n", "line 20\nnew\n"), around=0)
        self.assertEqual(made.draft, "// ... existing code ...\nnew\n// ... existing code ...\n")

    def test_short_stretches_are_copied(self):
        after = BEFORE.replace("line 20\n", "x\n").replace("line 23\n", "y\n")
        made = sketches.sketch("a.py", BEFORE, after, around=0)
        self.assertIn("x\nline 21\nline 22\ny\n", made.draft)

    def test_what_cannot_be_a_sketch_is_none(self):
        removed = BEFORE.replace("line 20\n", "")
        self.assertIsNone(sketches.sketch("a.py", BEFORE, removed, around=0))
        self.assertIsNone(sketches.sketch("a.py", BEFORE, BEFORE, around=0))
        elided = BEFORE.replace("line 20\n", "...\n")
        self.assertIsNone(sketches.sketch("a.py", BEFORE, elided, around=0))
        self.assertIsNone(sketches.sketch("a.py", "short\n", "other\n", around=0))


class Page(unittest.TestCase):
    def test_the_tables_are_put_in_their_place(self):
        counts = Counter({(0, "rules", "refused"): 2, (3, "likeness", "right"): 4})
        table = sketches.alone_table(counts)
        self.assertIn("| likeness | 4 (0, 0, 0, 4) | 0 (0, 0, 0, 0) |", table)
        self.assertIn("| nothing: refused | 2 (2, 0, 0, 0) | |", table)
        asked = sketches.asked_table({"M": (Counter({(1, "wrong"): 1}), [1.0, 2.0, 9.0])})
        self.assertIn("| M | 0 (0, 0, 0, 0) | 1 (0, 1, 0, 0) | 0 (0, 0, 0, 0) | 2.0 |", asked)
        page = (sketches.ROOT / "docs/apply.md").read_text()

        def put(text, part):
            return sketches.put(text, sketches.BEGIN, sketches.END, part)

        once = put(page, table)
        self.assertEqual(put(once, table), once)
        self.assertRaises(SystemExit, put, "nothing", table)


if __name__ == "__main__":
    unittest.main()
