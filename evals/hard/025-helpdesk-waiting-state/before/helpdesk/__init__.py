"""Tickets of the help desk."""
