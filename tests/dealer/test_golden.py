"""Logs of the ACPC reference dealer 1.0.42: every hand dealt and played again gives the same bytes.

``tests/golden/manifest.json`` names each log's game, seed, number of hands and players.
"""

import hashlib
from typing import Any

import pytest

from dealer.deck import acpc_deals
from dealer.match import seat_at
from dealer.records.acpc import AcpcLog, log_header, parse_score, parse_state
from dealer.rules.games import load_game
from dealer.rules.hand import HandState, replay
from dealer.rules.notation import format_betting, parse_betting
from tests.support.golden import GOLDEN, MATCHES


@pytest.mark.parametrize("match", MATCHES, ids=lambda match: str(match["name"]))
def test_log_is_reproduced_to_the_byte(match: dict[str, Any]) -> None:
    logged = (GOLDEN / match["log"]).read_text(encoding="ascii")
    game = load_game(match["game"])
    deals = acpc_deals(match["seed"], game)
    log = AcpcLog(game, match["seat_names"])

    text = log_header(match["name"], match["game"], match["hands"], match["seed"])
    lines = logged.splitlines(keepends=True)[4:-1]
    for number, line in enumerate(lines):
        betting = parse_state(line).betting
        seats = tuple(seat_at(position, number, game.players) for position in range(game.players))
        hand = HandState(game, deals.deal(number), number=number, seats=seats)
        for _, _, action in parse_betting(game, betting).history:
            hand.act(action)

        assert hand.over
        assert format_betting(hand.betting) == betting
        assert log.hand(hand.events) == line
        assert replay(game, hand.events).events == hand.events
        text += line
    text += log.score().text()

    assert len(lines) == match["hands"]
    assert log.score().text() == match["score"] + "\n"
    assert text == logged


@pytest.mark.parametrize("match", MATCHES, ids=lambda match: str(match["name"]))
def test_log_is_as_recorded_and_parses_back(match: dict[str, Any]) -> None:
    logged = (GOLDEN / match["log"]).read_bytes()
    *states, score = logged.decode("ascii").splitlines(keepends=True)[4:]

    assert hashlib.sha256(logged).hexdigest() == match["sha256"]
    assert [parse_state(line).text() for line in states] == states
    assert parse_score(score).text() == score


def test_every_log_is_in_the_manifest() -> None:
    assert {path.name for path in GOLDEN.glob("*.log")} == {match["log"] for match in MATCHES}
