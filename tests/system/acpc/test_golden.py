"""The golden matches of the reference dealer, played again over TCP by the players that played them."""

import hashlib
import re
from pathlib import Path
from typing import Any

import pytest

from tests.system.acpc.matches import GOLDEN, MATCHES, PATIENCE, Dealer, start_player

TIME = re.compile(r" at [0-9]+\.[0-9]{6}")


def timeless(transcript: str) -> list[str]:
    """The lines of a transcript without their times."""
    return [TIME.sub("", line, count=1) for line in transcript.split("\n")]


def play(match: dict[str, Any], directory: Path, *options: str) -> Dealer:
    """Play a golden match to its end."""
    arguments = (match["name"], match["game"], match["hands"], match["seed"], *match["seat_names"])
    with Dealer(directory, *arguments, *match["dealer_options"], *options) as dealer:
        players = [
            start_player(kind, port, match["game"], directory / f"seen{seat}")
            for seat, (kind, port) in enumerate(zip(match["players"], dealer.ports, strict=True), 1)
        ]
        code, output = dealer.end()
        ends = [player.wait(PATIENCE) for player in players]
    assert (code, output, ends) == (0, match["score"] + "\n", [0] * len(players))
    return dealer


@pytest.mark.parametrize("match", MATCHES, ids=lambda match: str(match["name"]))
def test_the_log_is_the_references_byte_for_byte(match: dict[str, Any], tmp_path: Path) -> None:
    dealer = play(match, tmp_path)

    log = (tmp_path / match["log"]).read_bytes()
    assert log == (GOLDEN / match["log"]).read_bytes()
    assert hashlib.sha256(log).hexdigest() == match["sha256"]
    ours = timeless(dealer.transcript)
    wire = GOLDEN / "wire" / f"{match['name']}.first1500.err"
    if wire.exists():
        theirs = timeless(wire.read_bytes().decode("latin-1"))
        assert ours[: len(theirs) - 1] == theirs[:-1]
    for seat in range(1, len(match["players"]) + 1):
        told = [line.removeprefix(f"TO {seat} ") for line in ours if line.startswith(f"TO {seat} ")]
        told = [line.removesuffix("\r") for line in told]
        assert (tmp_path / f"seen{seat}").read_text(encoding="ascii").splitlines() == told


def test_the_transaction_log_has_the_references_actions(tmp_path: Path) -> None:
    match = next(match for match in MATCHES if match["dealer_options"] == ["-T"])
    play(match, tmp_path, "-q")

    ours = (tmp_path / f"{match['name']}.tlog").read_text(encoding="ascii").splitlines()
    theirs = (GOLDEN / f"{match['name']}.tlog").read_text(encoding="ascii").splitlines()
    assert [line.split()[:2] for line in ours] == [line.split()[:2] for line in theirs]
    for line in ours:
        sent, received = map(float, line.split()[2:])
        assert sent <= received
