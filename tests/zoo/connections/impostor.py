"""Tries to be somebody else, and plays properly when that does not help."""

from tests.zoo.keeper import come_in, hear, play

for proof in ({"token": "guess"}, {"token": ""}, {"resume": "guess"}):
    for _ in hear(come_in(name="steady", **proof)):
        pass
play(come_in())
