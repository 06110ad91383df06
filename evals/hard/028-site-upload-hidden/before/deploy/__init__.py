"""Uploading a static site."""
