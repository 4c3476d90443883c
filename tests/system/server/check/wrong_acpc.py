"""ACPC programs that do one thing wrong.

``python -m tests.system.server.check.wrong_acpc KIND HOST PORT GAME`` starts one.
"""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator

from dealer.rules.games import Game, load_game
from tests.acpc.player import Seen


class Right:
    """Calls, and raises as little as possible now and then. ``end`` is that of its lines."""

    version = b"VERSION:2.0.0\r\n"
    end = "\r\n"

    def __init__(self, game: Game) -> None:
        self.game = game

    def run(self, host: str, port: int) -> None:
        with socket.create_connection((host, port)) as self.connection:
            self.connection.sendall(self.version)
            for line in self.lines():
                self.line(line)

    def lines(self) -> Iterator[str]:
        with self.connection.makefile("r", encoding="ascii", newline="\r\n") as lines:
            for line in lines:
                yield line.removesuffix("\r\n")

    def line(self, line: str) -> None:
        seen = Seen(self.game, line)
        if seen.mine:
            self.answer(seen)

    def answer(self, seen: Seen) -> None:
        self.say(f"{seen.line}:{self.action(seen)}")

    def say(self, text: str) -> None:
        self.connection.sendall(f"{text}{self.end}".encode())

    def action(self, seen: Seen) -> str:
        raises = seen.raises()
        if raises is None or len(seen.line) % 2:
            return "c"
        return seen.raise_to(raises[0])


class Absent(Right):
    def run(self, host: str, port: int) -> None:
        signal.pause()


class Stillborn(Right):
    def run(self, host: str, port: int) -> None:
        raise SystemExit("no such strategy")


class Mute(Right):
    version = b""


class Greeter(Right):
    version = b"HELLO\r\n"


class Older(Right):
    version = b"VERSION:1.0.0\r\n"


class Forgetter(Right):
    """Leaves the cards out."""

    def answer(self, seen: Seen) -> None:
        self.say(f"{seen.line.rsplit(':', 1)[0]}:{self.action(seen)}")


class Colonless(Right):
    def answer(self, seen: Seen) -> None:
        self.say(f"{seen.line} c")


class Amountless(Right):
    def action(self, seen: Seen) -> str:
        return "r" if seen.raises() else "c"


class Inventor(Right):
    def action(self, seen: Seen) -> str:
        return "x"


class Folder(Right):
    def action(self, seen: Seen) -> str:
        return "f"


class Raiser(Right):
    def action(self, seen: Seen) -> str:
        raises = seen.raises()
        return seen.raise_to(raises[0] if raises else 20_000)


class Street(Right):
    """Counts the street alone."""

    def action(self, seen: Seen) -> str:
        legal = seen.betting.legal()
        return "c" if legal.min_raise is None else seen.raise_to(legal.min_raise)


class By(Right):
    def action(self, seen: Seen) -> str:
        raises = seen.raises()
        return "c" if raises is None else seen.raise_to(raises[0] - max(seen.betting.spent))


class Loud(Right):
    def action(self, seen: Seen) -> str:
        return super().action(seen).upper()


class Unix(Right):
    end = "\n"


class Endless(Right):
    end = ""


class Typewriter(Right):
    end = "\r"


class Breathless(Right):
    """Says even its version without an end."""

    version = b"VERSION:2.0.0"


class Monosyllabic(Right):
    """Says the action alone."""

    def answer(self, seen: Seen) -> None:
        self.say(self.action(seen))


class Stale(Right):
    """Answers the line before the last."""

    before = ""

    def line(self, line: str) -> None:
        super().line(line)
        self.before = line

    def answer(self, seen: Seen) -> None:
        self.say(f"{self.before or seen.line}:c")


class Later(Stale):
    """Answers what it was asked last time."""

    def line(self, line: str) -> None:
        if Seen(self.game, line).mine:
            super().line(line)


class Inverted(Right):
    """Takes the others' turns for its own."""

    def line(self, line: str) -> None:
        if not Seen(self.game, line).mine:
            self.say(f"{line}:c")


class Commentator(Right):
    """Never comes to an end with its comments."""

    def answer(self, seen: Seen) -> None:
        while True:
            self.say("# let me see")


class Chatty(Right):
    def line(self, line: str) -> None:
        self.say(f"{line}:c")


class Mourner(Right):
    """Folds where that is allowed, and answers after it."""

    folded = ""

    def line(self, line: str) -> None:
        hand = line.split(":")[2]
        seen = Seen(self.game, line)
        if seen.mine:
            fold = seen.betting.legal().fold
            self.folded = hand if fold else ""
            self.say(f"{line}:{'f' if fold else 'c'}")
        elif self.folded == hand and len(self.game.blinds) > 2:
            self.say(f"{line}:c")


class Double(Right):
    def answer(self, seen: Seen) -> None:
        super().answer(seen)
        self.say(f"{seen.line}:c")


class Slow(Right):
    def answer(self, seen: Seen) -> None:
        threading.Event().wait(3.7)
        super().answer(seen)


class Silent(Right):
    def answer(self, seen: Seen) -> None:
        pass


class Crasher(Right):
    def answer(self, seen: Seen) -> None:
        raise AssertionError("no such state")


class Reader(Right):
    """Takes what comes at once for a line."""

    def lines(self) -> Iterator[str]:
        while data := self.connection.recv(65536):
            yield data.decode().splitlines()[0]


class Narrow(Right):
    def answer(self, seen: Seen) -> None:
        assert int(seen.line.split(":")[2]) < 2**31
        super().answer(seen)


class Witness(Right):
    """Must have seen every action."""

    seen = False

    def line(self, line: str) -> None:
        assert self.seen or len(line.split(":")[3]) <= 1
        self.seen = True
        super().line(line)


class Duellist(Right):
    def line(self, line: str) -> None:
        assert line.count("|") == 1
        super().line(line)


class Lingering(Right):
    def run(self, host: str, port: int) -> None:
        super().run(host, port)
        signal.pause()


class Parent(Right):
    def run(self, host: str, port: int) -> None:
        subprocess.Popen(["sleep", "1000"], start_new_session=True)
        super().run(host, port)


if __name__ == "__main__":
    kind, host, port, game = sys.argv[1:]
    globals()[kind](load_game(game)).run(host, int(port))
