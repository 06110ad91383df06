"""Tests of growth.py that need no model."""

import ast
import unittest

import growth


class Growth(unittest.TestCase):
    def test_files_have_the_lines_and_functions_they_say(self):
        files, names = growth.long_file(300)
        text = files["steps.py"]
        self.assertAlmostEqual(text.count("\n"), 300, delta=4)
        self.assertEqual([node.name for node in ast.parse(text).body], names)
        files, names = growth.folder(201)
        self.assertEqual(len(files), 201)
        self.assertEqual(len(names), 201 * growth.OF_A_FILE)
        self.assertIn("def step_200_3(x):", files["part_2/module_200.py"])

    def test_what_an_edit_costs(self):
        ms = {"prompt": 10, "answer": 5, "total": 100, "load": 60}
        stats = {"prompt_tokens": 30, "reused_tokens": 10, "ms": ms}
        self.assertEqual(growth.Cost.of(stats), growth.Cost(15, 25, 20))
        costs = [growth.Cost(*values) for values in ((1, 9, 5), (2, 8, 5), (9, 7, 5))]
        self.assertEqual(growth.Cost.median(costs), growth.Cost(2, 8, 5))

    def test_the_page_has_its_place(self):
        page = (growth.ROOT / "BENCHMARKS.md").read_text()
        self.assertIn("new table", growth.put(page, growth.BEGIN, growth.END, "new table"))
        rows = {10: growth.Cost(100, 5, 50), 1000: growth.Cost(120, 9, 50)}
        self.assertIn("| 1,000 | 50 | 120 | 1.20× | 9 |", growth.table("files", rows))


if __name__ == "__main__":
    unittest.main()
