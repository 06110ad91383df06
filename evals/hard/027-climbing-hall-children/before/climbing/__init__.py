"""Till and gate of the climbing hall."""
