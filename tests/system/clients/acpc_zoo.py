"""ACPC programs with habits: ``python -m tests.system.clients.acpc_zoo HABIT HOST PORT GAME``.
But for their habit they call.
"""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
from collections.abc import Callable

from dealer.rules.games import Game, load_game
from tests.acpc.player import Seen

#: Bytes of the reference's longest line.
LONGEST = 4095


class Program:
    """The program's end of the connection."""

    def __init__(self, host: str, port: str, game: Game) -> None:
        self.game = game
        self.socket = socket.create_connection((host, int(port)))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.lines = self.socket.makefile("r", encoding="ascii", newline="\r\n")

    def say(self, text: str | bytes) -> None:
        self.socket.sendall(text if isinstance(text, bytes) else text.encode("latin-1"))

    def turn(self) -> str:
        """The next line that is to be answered; the program ends when there is none."""
        for line in self.lines:
            text = line.removesuffix("\r\n")
            if Seen(self.game, text).mine:
                return text
        raise SystemExit(0)

    def play(self, answer: Callable[[str], None] | None = None) -> None:
        """Answer every turn; calling, if not told."""
        while True:
            line = self.turn()
            if answer is None:
                self.say(f"{line}:c\r\n")
            else:
                answer(line)

    def answer_once(self) -> None:
        self.say(f"{self.turn()}:c\r\n")


def segments(program: Program) -> None:
    """Says everything byte for byte."""

    def answer(line: str) -> None:
        for byte in f"{line}:c\r\n".encode():
            program.say(bytes([byte]))

    program.play(answer)


def lumps(program: Program) -> None:
    """Says many things at once: only one of them is an answer."""
    program.play(lambda line: program.say(f"# hm\n;gui\r\nhello\n\n{line}:c\n{line}:f\r\n{line}:r500\n"))


def nul(program: Program) -> None:
    program.play(lambda line: program.say(f"\0\n#\0\n{line}:c\0:f\r\n"))


def long(program: Program) -> None:
    """A comment and rubbish of the longest sort, cut where the reference cuts them."""
    rubbish = "x" * (LONGEST - 1) + "\n"
    program.play(lambda line: program.say("#" + rubbish[1:] + rubbish * 3 + "y" * LONGEST + f"{line}:c\n"))


def comments(program: Program) -> None:
    program.play(lambda line: program.say("# still thinking\r\n"))


def silent(program: Program) -> None:
    program.play(lambda line: None)


def cheeky(program: Program) -> None:
    """Asks for what the rules do not allow."""
    program.play(lambda line: program.say(f"{line}:r1\r\n"))


def closes(program: Program) -> None:
    program.answer_once()
    program.lines.close()
    program.socket.close()
    signal.pause()


def quits(program: Program) -> None:
    program.answer_once()
    raise SystemExit(3)


def quits_idle(program: Program) -> None:
    """Ends right after its answer, when it is somebody else's turn, without an end to its line."""
    program.say(f"{program.turn()}:c")
    raise SystemExit(0)


def killed(program: Program) -> None:
    program.answer_once()
    signal.raise_signal(signal.SIGKILL)


def deaf(program: Program) -> None:
    """Reads nothing, although it answers what it can guess."""
    signal.pause()


def stubborn(program: Program) -> None:
    """Does not want to end, and has a child that does not either."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    subprocess.Popen([sys.executable, "-c", "import signal; signal.pause()"])
    sys.stdout.write("up\n")
    sys.stdout.flush()
    while True:
        try:
            program.play()
        except SystemExit:
            signal.pause()


def printing(program: Program) -> None:
    sys.stdout.write("to standard output\n")
    sys.stderr.write("to standard error\n")
    sys.stdout.flush()
    program.play()


def strange(program: Program) -> None:
    """Somebody else connects as well."""
    with socket.create_connection(program.socket.getpeername()) as other:
        try:
            said = other.recv(1)
        except ConnectionError:
            said = b""
    sys.stdout.write("turned away\n" if not said else "let in\n")
    sys.stdout.flush()
    program.play()


#: What is said first, where it is not the version, and whether it goes on after that.
FIRST = {"hello": "HELLO\r\n", "old": "VERSION:1.0.0\r\n", "mute": "", "deaf": "VERSION:2.0.0\r\n"}
HABITS: dict[str, Callable[[Program], None]] = {
    habit.__name__: habit
    for habit in (
        segments,
        lumps,
        nul,
        long,
        comments,
        silent,
        cheeky,
        closes,
        quits,
        quits_idle,
        killed,
        deaf,
        stubborn,
        printing,
        strange,
    )
}


def main(habit: str, host: str, port: str, game: str) -> None:
    """Play with that habit until the connection is closed."""
    if habit == "absent":
        signal.pause()
    program = Program(host, port, load_game(game))
    program.say(FIRST.get(habit, "VERSION:2.0.0\r\n"))
    HABITS.get(habit, Program.play)(program)


if __name__ == "__main__":
    main(*sys.argv[1:])
