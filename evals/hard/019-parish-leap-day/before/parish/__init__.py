"""Registers of the parish."""
