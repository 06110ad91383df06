import unittest, tool


class T(unittest.TestCase):
    def test_name(self):
        self.assertEqual(tool.handle_item('ab'), 2)
