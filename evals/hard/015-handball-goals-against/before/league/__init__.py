"""The amateur handball league."""
