"""Tea by mail."""
