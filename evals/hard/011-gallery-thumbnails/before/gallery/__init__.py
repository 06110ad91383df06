"""Static photo albums."""
