"""A historical atlas."""
