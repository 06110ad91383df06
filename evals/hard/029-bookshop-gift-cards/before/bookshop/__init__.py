"""A bookshop's till."""
