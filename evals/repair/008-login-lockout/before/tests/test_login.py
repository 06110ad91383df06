import unittest

from login import Account, Gate


class SignInTest(unittest.TestCase):
    def setUp(self):
        self.gate = Gate([Account("mira", "teapot", changed_day=100)])

    def test_welcome(self):
        self.assertEqual(
            self.gate.sign_in("mira", "teapot", 120), ("ok", "Welcome back.")
        )

    def test_unknown_name_reads_like_wrong_password(self):
        unknown = self.gate.sign_in("nobody", "x", 120)[1]
        wrong = self.gate.sign_in("mira", "x", 120)[1]
        self.assertEqual(unknown, wrong)

    def test_warns_before_lock(self):
        for _ in range(3):
            text = self.gate.sign_in("mira", "x", 120)[1]
        self.assertEqual(text, "Wrong name or password. Tries left: 2.")

    def test_locked_after_five(self):
        for _ in range(5):
            self.gate.sign_in("mira", "x", 120)
        self.assertEqual(
            self.gate.sign_in("mira", "teapot", 120),
            ("locked", "This account is locked."),
        )

    def test_expired_password_says_so(self):
        self.assertEqual(
            self.gate.sign_in("mira", "teapot", 281),
            ("expired", "Your password has expired."),
        )


if __name__ == "__main__":
    unittest.main()
