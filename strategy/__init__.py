"""Strategies: pure decisions from what a player may know."""
