import unittest
from fractions import Fraction

from card import amount_text, render
from recipes import Ingredient, Recipe, scale

PANCAKES = Recipe(
    "Pancakes",
    4,
    (
        Ingredient("flour", Fraction(250), "g"),
        Ingredient("eggs", Fraction(3)),
        Ingredient("milk", Fraction(1, 2), "l"),
    ),
)


class ScaleTest(unittest.TestCase):
    def test_amounts_follow_head_count(self):
        amounts = [item.amount for item in scale(PANCAKES, 6).ingredients]
        self.assertEqual(amounts, [375, Fraction(9, 2), Fraction(3, 4)])

    def test_scaled_card_shows_new_head_count(self):
        first = render(scale(PANCAKES, 6)).splitlines()[0]
        self.assertEqual(first, "Pancakes (serves 6)")

    def test_nobody_to_cook_for(self):
        with self.assertRaises(ValueError):
            scale(PANCAKES, 0)


class CardTest(unittest.TestCase):
    def test_amounts(self):
        self.assertEqual(amount_text(Fraction(2)), "2")
        self.assertEqual(amount_text(Fraction(3, 2)), "1 1/2")
        self.assertEqual(amount_text(Fraction(1, 4)), "1/4")

    def test_unscaled_card(self):
        self.assertEqual(
            render(PANCAKES),
            "Pancakes (serves 4)\n- 250 g flour\n- 3 eggs\n- 1/2 l milk",
        )


if __name__ == "__main__":
    unittest.main()
