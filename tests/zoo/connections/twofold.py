"""Connects a second time while the first connection plays."""

from tests.zoo.keeper import come_in, play

first = come_in()
play(first, turns=3)
second = come_in()
assert play(first) is None
play(second)
