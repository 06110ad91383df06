import unittest

from photo_import.job import ImportJob

CARD = ["IMG_1.JPG", "IMG_2.JPG", "IMG_3.JPG", "notes.txt"]


class ImportJobTest(unittest.TestCase):
    def test_import_copies_new_photos(self):
        album = ["img_1.jpg"]
        text = ImportJob(CARD, album).run()
        self.assertEqual(text, "Imported 2 photos, skipped 1 photo.")
        self.assertEqual(album, ["img_1.jpg", "IMG_2.JPG", "IMG_3.JPG"])

    def test_dry_run_copies_nothing(self):
        album = []
        ImportJob(CARD, album, dry_run=True).run()
        self.assertEqual(album, [])

    def test_dry_run_summary(self):
        text = ImportJob(CARD, [], dry_run=True).run()
        self.assertEqual(text, "Would import 3 photos.")

    def test_nothing_new(self):
        self.assertEqual(ImportJob(["a.txt"], []).run(), "Nothing to import.")
