"""The arena plays what the server plays."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from dealer.records.journal import hand_line
from dealer.standings import standings_data
from server.competition.file import parse_competition
from server.competition.store import session_header
from tests.support.competitions.arena import ROOT, bot, competition, division, run
from tests.support.competitions.contests import contest_of

LEARNER: dict[str, Any] = {"raise_at": 0.6, "fold_below": 0.25, "mu": 0.05, "learn_every": 2, "weight_s": 0.1}


CUP = {"mode": "tournament", "players": 3, "stack": 500, "levels": [[10, 20, 0, 3], [50, 100, 10, 3]]}


CASH = {"mode": "cash", "players": 3, "stack": 200, "small_blind": 5, "big_blind": 10}


BOTS = [
    bot("learner", run="adaptive", parameters=LEARNER, reset="message", tables=64),
    bot("adaptive2", run="adaptive2", reset="message", tables=64),
    bot("random", run="random", reset="message", tables=64),
    bot("fair", run="fair", reset="message", tables=64),
]


DIVISIONS = [
    division("limit-2p", hands=6, matches=2),
    division("nolimit-3p", game="holdem.nolimit.3p", hands=8, seatings="rotations", rules="bb"),
    division("cup", table=CUP, seatings="rotations"),
    division("cash", table=CASH, hands=12, seatings="rotations"),
]


@pytest.mark.parametrize("deck", ["secure", "acpc"])
async def test_the_arena_gives_the_records_of_the_server(tmp_path: Path, deck: str) -> None:
    seed: object = "arena" if deck == "secure" else 7
    text = competition(BOTS, DIVISIONS, deck=deck, seed=seed)
    played = await run(text, tmp_path / "server")
    planned = parse_competition(text, ROOT)
    hands = 0
    for name in planned.divisions:
        contest = contest_of(planned, name)
        assert contest.unit == planned.chips_per_unit(name)
        results = []
        for session in contest.sessions:
            lines = [session_header(session, contest.format(session).game)]
            results.append(contest.play(session, lambda events, lines=lines: lines.append(hand_line(events))))  # type: ignore[misc]
            journal = (tmp_path / "server" / "hands" / f"{session.name}.jsonl").read_text("utf-8")
            assert "".join(lines) == journal, session.name
            hands += len(lines) - 1
        scores = contest.scores(results)
        told = next(one for one in played.standings["divisions"] if one["division"] == name)
        told.pop("without_luck")
        counts = told["incidents"], told["decisions"]
        assert standings_data(scores, *counts, tournament=planned.is_tournament(name)) == told
    assert hands > 200
