"""Bots that play a blueprint: ``bot``, and ``river_bot``, which solves the river."""
