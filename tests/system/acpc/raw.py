"""Players played by hand: sockets that a test reads and writes itself."""

from __future__ import annotations

import socket
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Self

from dealer.rules.games import Game, load_game
from tests.acpc.player import PLAYERS, Seen


class Raw:
    """A connection to one seat. Without ``version`` nothing is said."""

    def __init__(self, port: int, *, version: bytes = b"VERSION:2.0.0\r\n") -> None:
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=30.0)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._lines = self.socket.makefile("r", encoding="ascii", newline="\r\n")
        #: The lines so far that were asked for.
        self.heard: list[str] = []
        if version:
            self.send(version)

    def send(self, data: bytes) -> None:
        """Say something, as it is."""
        self.socket.sendall(data)

    def line(self) -> str:
        """The next line; empty when the dealer has hung up."""
        line = self._lines.readline().removesuffix("\r\n")
        if line:
            self.heard.append(line)
        return line

    def rest(self) -> list[str]:
        """All lines until the dealer hangs up."""
        return [line.removesuffix("\r\n") for line in self._lines]

    def close(self) -> None:
        """Hang up."""
        self._lines.close()
        self.socket.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def drive(
    ports: Sequence[int], game_name: str, kinds: Sequence[str], after: Callable[[int], bool] | None = None
) -> list[list[str]]:
    """Play all seats of a match; ``after`` is told the number of answers so far, and says whether to go on.

    What each seat was told.
    """
    game: Game = load_game(game_name)
    players = [Raw(port) for port in ports]
    answers = 0
    try:
        while all(lines := [player.line() for player in players]):
            for player, line, kind in zip(players, lines, kinds, strict=True):
                seen = Seen(game, line)
                if seen.mine:
                    player.send("".join(PLAYERS[kind](seen)).encode("ascii"))
                    answers += 1
                    if after is not None and not after(answers):
                        return [player.heard for player in players]
        return [player.heard for player in players]
    finally:
        for player in players:
            player.close()
