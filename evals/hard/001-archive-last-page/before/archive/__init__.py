"""Web search of the town archive."""
