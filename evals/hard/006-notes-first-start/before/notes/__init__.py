"""A small program for notes."""
