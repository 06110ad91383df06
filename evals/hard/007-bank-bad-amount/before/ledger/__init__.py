"""Household ledger."""
