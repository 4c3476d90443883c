"""Deterministic ACPC programs over TCP: ``python -m tests.acpc.player KIND HOST PORT --game FILE``.

Every answer is a function of the line it answers, so that a match between them comes out the same at every
dealer. ``call`` and ``raise`` are what they say; ``hash`` chooses among all that is legal by a SHA-256 of the
line; ``wild`` says right and wrong things without looking at the rules, to try a dealer's tolerance.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import socket
from collections.abc import Callable, Iterator
from pathlib import Path

from dealer.rules.games import Game, load_game
from dealer.rules.notation import parse_betting


class Seen:
    """A line, and what the rules say of it."""

    def __init__(self, game: Game, line: str) -> None:
        _, position, _, betting, _ = line.split(":", 4)
        self.line = line
        self.limit = game.limit
        self.betting = parse_betting(game, betting)
        self.mine = self.betting.to_act == int(position)

    def raises(self) -> tuple[int, int] | None:
        """Smallest and largest raise, as totals of the hand."""
        legal = self.betting.legal()
        if legal.min_raise is None or legal.max_raise is None:
            return None
        start = self.betting.street_start
        return legal.min_raise + start, legal.max_raise + start

    def raise_to(self, total: int) -> str:
        return "r" if self.limit else f"r{total}"


def call(seen: Seen) -> list[str]:
    return [f"{seen.line}:c\r\n"]


def smallest_raise(seen: Seen) -> list[str]:
    raises = seen.raises()
    return [f"{seen.line}:{seen.raise_to(raises[0]) if raises else 'c'}\r\n"]


def by_hash(seen: Seen) -> list[str]:
    digest, drawn = _digest(seen.line)
    raises = seen.raises()
    if digest[0] < 16 and seen.betting.legal().fold:
        action = "f"
    elif digest[0] < 136 or raises is None:
        action = "c"
    else:
        low, high = raises
        if digest[9] < 96:
            total = low
        elif digest[9] < 224:
            total = low + drawn % (min(high, 4 * low) - low + 1)
        elif digest[9] < 248:
            total = low + drawn % (high - low + 1)
        else:
            total = high
        action = seen.raise_to(total)
    return [f"{seen.line}:{action}\r\n"]


def wild(seen: Seen) -> list[str]:
    digest, drawn = _digest(seen.line)
    words = []
    if digest[12] < 16:
        words.append("# comment\r\n")
    elif digest[12] < 32:
        words.append(";gui\r\n")
    if digest[13] < 16:
        words.append("MATCHSTATE:0:4294967295:::c\r\n")
    elif digest[13] < 32:
        words.append("hello\n")
    if digest[0] < 32:
        action = "fF"[digest[10] & 1]
    elif digest[0] < 144:
        action = "cCkK"[digest[10] % 4]
    elif digest[0] < 250:
        amount = ("123" if digest[11] < 32 else "") if seen.limit else str(drawn % 25000)
        action = "rRbB"[digest[10] % 4] + amount
    else:
        action = "x"
    return [*words, f"{seen.line}:{action}\r\n"]


PLAYERS: dict[str, Callable[[Seen], list[str]]] = {
    "call": call,
    "raise": smallest_raise,
    "hash": by_hash,
    "wild": wild,
}


def _digest(line: str) -> tuple[bytes, int]:
    digest = hashlib.sha256(line.encode("ascii")).digest()
    return digest, int.from_bytes(digest[1:9], "big")


def _lines(connection: socket.socket) -> Iterator[str]:
    with connection.makefile("r", encoding="ascii", newline="\r\n") as lines:
        for line in lines:
            yield line.removesuffix("\r\n")


def main() -> None:
    """Play until the dealer closes the connection."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kind", choices=PLAYERS)
    parser.add_argument("host")
    parser.add_argument("port", type=int)
    parser.add_argument("--game", required=True, help="the game definition file")
    parser.add_argument("--seen", type=Path, default=Path(os.devnull), help="keep the lines received there")
    options = parser.parse_args()
    game = load_game(options.game)
    decide = PLAYERS[options.kind]
    with (
        socket.create_connection((options.host, options.port)) as connection,
        options.seen.open("w", encoding="ascii") as seen_lines,
    ):
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        connection.sendall(b"VERSION:2.0.0\r\n")
        for line in _lines(connection):
            seen_lines.write(f"{line}\n")
            seen = Seen(game, line)
            if seen.mine:
                connection.sendall("".join(decide(seen)).encode("ascii"))


if __name__ == "__main__":
    main()
