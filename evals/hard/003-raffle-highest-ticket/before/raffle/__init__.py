"""Raffle of the village fair."""
