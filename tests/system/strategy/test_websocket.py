"""Loki over a websocket plays as in the arena: it is told the same in the same order, to the same end."""

from __future__ import annotations

from pathlib import Path

from dealer.records.journal import hand_line
from server.competition.file import parse_competition
from server.competition.store import session_header
from tests.support.competitions.arena import ROOT, bot, competition, division, run
from tests.support.competitions.contests import contest_of

CUP = {"mode": "tournament", "players": 3, "stack": 300, "levels": [[10, 20, 0, 4], [50, 100, 10, 4]]}
CASH = {"mode": "cash", "players": 3, "stack": 200, "small_blind": 5, "big_blind": 10}
BOTS = [
    bot("loki1", run="loki1", reset="message", tables=64),
    bot("loki2", run="loki2", parameters={"trials": 10}, reset="message", tables=64),
    bot("random", run="random", reset="message", tables=64),
]
DIVISIONS = [
    division("limit-3p", game="holdem.limit.3p", hands=8, seatings="rotations"),
    division("cup", table=CUP, seatings="rotations"),
    division("limit-cup", table={**CUP, "limit": True}, seatings="rotations"),
    division("cash", table=CASH, hands=8, seatings="rotations"),
]


async def test_the_server_and_the_arena_see_the_same_play(tmp_path: Path) -> None:
    text = competition(BOTS, DIVISIONS, seed="loki")
    await run(text, tmp_path / "server")
    planned = parse_competition(text, ROOT)
    hands = 0
    for name in planned.divisions:
        contest = contest_of(planned, name)
        for session in contest.sessions:
            lines = [session_header(session, contest.format(session).game)]
            contest.play(session, lambda events, lines=lines: lines.append(hand_line(events)))  # type: ignore[misc]
            journal = (tmp_path / "server" / "hands" / f"{session.name}.jsonl").read_text("utf-8")
            assert "".join(lines) == journal, session.name
            hands += len(lines) - 1
    assert hands > 60
