"""The golden matches of the reference dealer, begun again over TCP by those who played them."""

import re
from pathlib import Path
from typing import Any

import pytest

from dealer.records.acpc import log_header, parse_score, parse_state
from tests.support.golden import GOLDEN, MATCHES
from tests.system.acpc.matches import PATIENCE, Dealer, start_player
from tests.system.acpc.raw import drive

#: The first hands of each match: ``tests/dealer/test_golden.py`` deals and plays all of them, and nothing
#: that a process adds to that depends on how many came before.
HANDS = 100
#: Where every player is a program of its own, as then. The others are played from here, which says the same.
PROGRAMS = ("g09_l3_s5_mixed", "g24_n2_s5_tlog")
TIME = re.compile(r" at [0-9]+\.[0-9]{6}")


def timeless(transcript: str) -> list[str]:
    """The lines of a transcript without their times."""
    return [TIME.sub("", line, count=1) for line in transcript.split("\n")]


def told_to_programs(dealer: Dealer, match: dict[str, Any]) -> list[list[str]]:
    """What the dealer told each player: programs that play to the end."""
    seen = [dealer.directory / f"seen{seat}" for seat in range(len(dealer.ports))]
    players = [
        start_player(kind, port, match["game"], path)
        for kind, port, path in zip(match["players"], dealer.ports, seen, strict=True)
    ]
    assert [player.wait(PATIENCE) for player in players] == [0] * len(players)
    return [path.read_text(encoding="ascii").splitlines() for path in seen]


@pytest.mark.parametrize("match", MATCHES, ids=lambda match: str(match["name"]))
def test_the_log_is_the_references_byte_for_byte(match: dict[str, Any], tmp_path: Path) -> None:
    name, game, seats = match["name"], match["game"], len(match["players"])
    arguments = (name, game, HANDS, match["seed"], *match["seat_names"])
    with Dealer(tmp_path, *arguments, *match["dealer_options"]) as dealer:
        if name in PROGRAMS:
            heard = told_to_programs(dealer, match)
        else:
            heard = drive(dealer.ports, game, match["players"])
        code, output = dealer.end()
        assert code == 0

    states = (GOLDEN / match["log"]).read_text("ascii").splitlines(keepends=True)[4 : 4 + HANDS]
    log = (tmp_path / match["log"]).read_bytes().decode("ascii")
    assert log == log_header(name, game, HANDS, match["seed"]) + "".join(states) + output
    won = dict.fromkeys(match["seat_names"], 0.0)
    for state in map(parse_state, states):
        for player, value in zip(state.names, state.values, strict=True):
            won[player] += value
    score = parse_score(output)
    assert dict(zip(score.names, score.totals, strict=True)) == pytest.approx(won, abs=0.001)

    *ours, last = timeless(dealer.transcript)
    assert last == ""
    wire = GOLDEN / "wire" / f"{name}.first1500.err"
    if wire.exists():
        theirs = timeless(wire.read_bytes().decode("latin-1"))[:-1]
        theirs[0] = theirs[0].replace(f" {match['hands']} ", f" {HANDS} ")
        # Of a longer match more was sent; of a shorter one what follows is its end.
        both = min(len(ours) - seats - 1, len(theirs))
        assert both > 5 * HANDS
        assert ours[:both] == theirs[:both]
    for seat, lines in enumerate(heard, 1):
        told = [line.removeprefix(f"TO {seat} ") for line in ours if line.startswith(f"TO {seat} ")]
        assert lines == [line.removesuffix("\r") for line in told]
    if "-T" in match["dealer_options"]:
        _is_the_references_transaction_log(tmp_path / f"{name}.tlog")


def _is_the_references_transaction_log(path: Path) -> None:
    ours = path.read_text(encoding="ascii").splitlines()
    theirs = (GOLDEN / path.name).read_text(encoding="ascii").splitlines()
    assert [line.split()[:2] for line in ours] == [line.split()[:2] for line in theirs]
    for line in ours:
        sent, received = map(float, line.split()[2:])
        assert sent <= received
