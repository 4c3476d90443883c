"""``python -m tests.chaos.swallowed FILE OUT``, in a network namespace of its own: play FILE with the bots
of a storm, which are in another one; in the middle of a hand all that is sent between is lost, and nobody is
told.
"""

from __future__ import annotations

import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path

from tests.chaos.storm import BOTS
from tests.support.competitions.continued import POKERD, hands_logged
from tests.support.programs import PYTHON, Program, eventually

#: Addresses of the server and of the bots.
HERE, THERE = "10.7.0.1", "10.7.0.2"


def ip(*words: str, inside: int | None = None) -> None:
    """Change the network here, or that of the process ``inside``."""
    there = [] if inside is None else ["nsenter", "--net", "--target", str(inside)]
    subprocess.run([*there, "ip", *words], check=True)


def lost(out: Path) -> int:
    """How many connections the server knows to be lost."""
    return (out / "logs" / "server.jsonl").read_bytes().count(b'"event":"lost"')


if __name__ == "__main__":
    file, out = map(Path, sys.argv[1:])
    with ExitStack() as stack:
        # What lives there keeps the other namespace: it waits for the end of its input.
        house = subprocess.Popen(["unshare", "--net", "cat"], stdin=subprocess.PIPE)
        stack.callback(house.communicate)
        there = house.pid
        eventually(lambda: Path(f"/proc/{there}/ns/net").readlink() != Path("/proc/self/ns/net").readlink())
        ip("link", "add", "near", "type", "veth", "peer", "name", "far", "netns", str(there))
        ip("address", "add", f"{HERE}/24", "dev", "near")
        ip("link", "set", "near", "up")
        ip("link", "set", "lo", "up")
        ip("address", "add", f"{THERE}/24", "dev", "far", inside=there)
        ip("link", "set", "far", "up", inside=there)
        server = stack.enter_context(
            Program(*POKERD, "compete", file, "--out", out, "--host", HERE, "--port", "8000")
        )
        server.says("^bots connect to")
        for name in BOTS:
            who = ("--url", f"ws://{HERE}:8000", "--token", f"token-of-{name}")
            moved = ("nsenter", "--net", "--target", str(there), PYTHON, "-m", "tests.chaos.steady", *who)
            stack.enter_context(Program(*moved))
        eventually(lambda: hands_logged(out) > 5)
        # Both ends send to a card that nobody has.
        nobody = ("lladdr", "02:00:00:00:00:99", "nud", "permanent")
        ip("neighbour", "replace", THERE, *nobody, "dev", "near")
        ip("neighbour", "replace", HERE, *nobody, "dev", "far", inside=there)
        eventually(lambda: lost(out) >= len(BOTS))
        ip("neighbour", "delete", THERE, "dev", "near")
        ip("neighbour", "delete", HERE, "dev", "far", inside=there)
        sys.stdout.write(f"lost: {lost(out)}\n")
        sys.stdout.flush()
        raise SystemExit(server.end())
