import unittest

from photo_import.planner import is_photo, plan


class PlannerTest(unittest.TestCase):
    def test_photo_by_extension(self):
        self.assertTrue(is_photo("beach.JPEG"))
        self.assertFalse(is_photo("clip.mov"))

    def test_case_does_not_matter(self):
        self.assertEqual(plan(["B.JPG", "A.jpg"], ["b.jpg"]),
                         (["A.jpg"], ["B.JPG"]))
