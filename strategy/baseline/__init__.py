"""Bots to measure others by."""
