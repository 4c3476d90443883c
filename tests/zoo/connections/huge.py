"""Sends a frame of a megabyte in the middle of a hand, and comes back for more."""

from contextlib import suppress

from websockets.exceptions import ConnectionClosed

from tests.zoo.keeper import come_in, play

while True:
    socket = come_in()
    if play(socket, turns=2) is None:
        break
    with suppress(ConnectionClosed):
        socket.send("x" * 1_000_000)
