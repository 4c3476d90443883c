"""An ACPC program that needs no bridge: ``python -m tests.clients.acpc_over_websocket KIND URL GAME``.

Every match is a connection; it plays until it is let in no more.
"""

from __future__ import annotations

import sys

from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect
from websockets.typing import Subprotocol

from dealer.rules.games import load_game
from tests.acpc.player import PLAYERS, Seen


def main(kind: str, url: str, game_name: str) -> None:
    """Play match after match, each on a connection of its own."""
    game = load_game(game_name)
    while True:
        try:
            with connect(url, subprotocols=[Subprotocol("acpc.2.0.0")], compression=None) as socket:
                socket.send("VERSION:2.0.0\r\n")
                for frame in socket:
                    assert isinstance(frame, str)
                    for line in frame.splitlines():
                        if line.startswith("#"):
                            sys.stdout.write(f"{line}\n")
                            sys.stdout.flush()
                        elif (seen := Seen(game, line)).mine:
                            socket.send("".join(PLAYERS[kind](seen)))
        except (OSError, ConnectionClosed):
            return


if __name__ == "__main__":
    main(*sys.argv[1:])
