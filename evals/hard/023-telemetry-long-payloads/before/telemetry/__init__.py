"""Telemetry of the balloon."""
