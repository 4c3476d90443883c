"""Strategies, solvers and poker mathematics: how fast they are, and how strong."""
