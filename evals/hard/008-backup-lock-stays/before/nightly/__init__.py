"""Nightly copies of the office server."""
