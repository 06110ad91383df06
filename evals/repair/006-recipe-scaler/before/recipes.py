"""Recipes and how to cook them for more or fewer people."""

from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True)
class Ingredient:
    name: str
    amount: Fraction
    unit: str = ""


@dataclass(frozen=True)
class Recipe:
    title: str
    serves: int
    ingredients: tuple


def scale(recipe, people):
    """The same recipe for another number of people."""
    if people < 1:
        raise ValueError("at least one person has to eat")
    factor = Fraction(people, recipe.serves)
    ingredients = tuple(
        Ingredient(item.name, item.amount * factor, item.unit)
        for item in recipe.ingredients
    )
    return Recipe(recipe.title, recipe.serves, ingredients)
