"""Simple bots, as a baseline for others."""
