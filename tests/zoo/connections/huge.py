"""Sends a frame of a megabyte in the middle of a hand, is thrown out for it, and comes back for more."""

from contextlib import suppress

from websockets.exceptions import ConnectionClosed

from tests.zoo.keeper import come_in, play

while True:
    socket = come_in()
    if play(socket, turns=2) is None:
        break
    with suppress(ConnectionClosed, TimeoutError):
        socket.send("x" * 1_000_000)
        # Who comes back before the server has hung up takes its seat over, and has never been away.
        while True:
            socket.recv(timeout=1)
