"""Prices of the mail order shop."""
