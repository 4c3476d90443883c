"""Ends in the middle of a hand."""

from tests.zoo.keeper import come_in, play

play(come_in(), turns=5)
raise SystemExit(3)
