"""Evaluation of the rain gauges along the river."""
