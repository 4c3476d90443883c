"""Bots that play a blueprint, and ``exploitability``: how much a strategy in a file can lose."""
