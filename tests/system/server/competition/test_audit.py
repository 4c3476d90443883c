"""The audit of competitions that were played: who remembers is found, who does not is left in peace."""

from __future__ import annotations

import asyncio
import json
import re
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import uvloop

from dealer.play_order import smallest_gap
from pokerd.__main__ import main
from protocol.public import FinishedHand
from server.competition.audit import audit_directory
from server.competition.file import parse_competition
from server.competition.store import StoreError
from server.competition.verify import verify_directory
from server.public.bus import EventBus
from server.public.feed import CompetitionFeed
from tests.support.competitions.arena import ROOT, Played, animal, bot, competition, division, hosted, run
from tests.support.competitions.results import make

CHEAT = animal("rememberer", reset="message", tables=4)
STAYING = [bot(name, run=name, reset="message", tables=4) for name in ("call", "random")]


def text_of(**fields: Any) -> str:
    """Three bots heads-up, of whom one remembers."""
    return competition([CHEAT, *STAYING], [division(matches=6, hands=12)], **fields)


@pytest.fixture(scope="module")
def cheated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A competition that was played, interleaved, with one who remembers. One session at a time: what he can
    remember of deals that are played at the same moment depends on the machine.
    """
    out = tmp_path_factory.mktemp("audit") / "out"
    uvloop.run(_play(text_of(), out, workers=1))
    return out


async def _play(text: str, out: Path, workers: int = 4) -> None:
    await run(text, out, workers=workers)


def begun(out: Path) -> list[str]:
    """Sessions in the order in which they were begun, read without any of our code."""
    with closing(sqlite3.connect(f"file:{out / 'state.db'}?mode=ro", uri=True)) as db:
        return [name for (name,) in db.execute("SELECT session FROM attempts ORDER BY attempt")]


def test_who_remembers_is_found_and_nobody_else(cheated: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["audit", str(cheated)]) == 1
    told = capsys.readouterr().out
    assert re.search(rf"^{re.escape(str(cheated))}: .*: rememberer \(duel\)$", told, re.MULTILINE)
    assert main(["audit", str(cheated), "--json"]) == 1
    data = json.loads(capsys.readouterr().out)
    (duel,) = data["divisions"]
    verdicts = {one["bot"]: one["verdict"] for one in duel["bots"]}
    assert verdicts.pop("rememberer") == "better"
    assert "better" not in verdicts.values()
    assert data["comparisons"] == 3
    (mine,) = [one for one in duel["bots"] if one["bot"] == "rememberer"]
    assert mine["matches"] == 6
    assert mine["mbb"] - mine["ci95"] > 0


def test_the_order_of_play_is_that_of_the_plan(cheated: Path) -> None:
    planned = parse_competition((cheated / "competition.toml").read_text(), ROOT)
    assert planned.remembering_bots == {"rememberer"}
    assert smallest_gap(planned.play_order, planned.remembering_bots) == 6
    sessions = {session.name: session for session in planned.sessions}
    order = [sessions[name] for name in begun(cheated)]
    assert set(order) == set(planned.play_order)
    found = smallest_gap(order, planned.remembering_bots)
    assert found is not None
    # The house's own bots may be quicker than those that they wait for.
    assert found >= 6 - 3
    assert smallest_gap(planned.sessions, planned.remembering_bots) == 1


CUP = {"mode": "tournament", "players": 2, "stack": 60}


def _honest(**fields: Any) -> str:
    foreign = [
        bot(name, command=["{python}", "-m", "pokerd", "bot", name], reset="message", tables=4)
        for name in ("call", "random")
    ]
    others = bot("raise", run="raise", reset="message", tables=4)
    cup = division("cup", table=CUP, bots=["call", "raise"], matches=3)
    return competition([*foreign, others], [division(matches=4, hands=6), cup], **fields)


async def test_the_order_changes_no_record_and_nobody_honest_is_accused(tmp_path: Path) -> None:
    """And hands are told when nobody can be dealt them any more."""
    plain = await run(_honest(interleave=0), tmp_path / "plain", workers=1)
    mixed = await _heard(_honest(), tmp_path / "mixed")
    assert begun(plain.out) != begun(mixed.out)
    assert begun(plain.out) == [session.name for session in plain.runner.competition.sessions]
    files = {name: text for name, text in mixed.files().items() if name != "competition.toml"}
    assert files == {name: text for name, text in plain.files().items() if name != "competition.toml"}
    for out in (plain.out, mixed.out):
        found = audit_directory(out)
        bots = [(one.division, one.bot, one.gain and one.gain.units) for one in found.findings]
        assert bots[:3] == [("duel", bot, 4) for bot in ("call", "random", "raise")]
        assert bots[3:] == [("cup", bot, 3) for bot in ("call", "raise")]
        assert found.better == []


async def _heard(text: str, out: Path) -> Played:
    """Play a competition, and hear its hands: each after the last session that is dealt it."""
    told: dict[str, int] = {}
    async with hosted(text, out, workers=4) as runner:
        bus = EventBus()
        announcer = CompetitionFeed(bus, runner)
        left = {session.name: session for session in runner.competition.sessions}
        matches = {runner.competition.public_names(session)[0]: session.match for session in left.values()}

        async def watch() -> None:
            with bus.subscribe("test") as events:
                async for event in events:
                    if isinstance(event, FinishedHand):
                        match = matches[event.table]
                        open_ones = [one for name, one in left.items() if name not in runner.progress.results]
                        assert all(one.match != match for one in open_ones)
                        told[event.table] = told.get(event.table, 0) + 1

        watching = asyncio.create_task(watch())
        await asyncio.sleep(0)
        await runner.run(announcer.on_session)
        await announcer.finish(json.loads((out / "standings.json").read_bytes()))
        bus.close()
        await watching
        await announcer.close()
    assert set(told) == set(matches)
    assert {count for table, count in told.items() if table.startswith("duel")} == {6}
    verify_directory(out)
    return Played(out, runner)


def test_sessions_that_were_cut_are_left_out(tmp_path: Path) -> None:
    out = tmp_path / "out"
    make(out, competition([CHEAT, *STAYING], [division(matches=6, hands=2)]))
    with closing(sqlite3.connect(out / "state.db")) as db, db:
        db.execute(
            "INSERT INTO attempts SELECT max(attempt) + 1, 'duel/m0002-l000-s0', 'cut', NULL FROM attempts"
        )
    found = audit_directory(out)
    assert found.left_out == {("duel", "rememberer"): 1, ("duel", "call"): 1}
    units = {one.bot: one.gain.units for one in found.findings if one.gain is not None}
    assert units == {"rememberer": 5, "call": 5, "random": 6}


def test_what_cannot_be_audited_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["audit", str(tmp_path)]) == 2
    assert "[not_a_competition]" in capsys.readouterr().err
    out = tmp_path / "out"
    make(out, competition([CHEAT, *STAYING], [division(matches=3, hands=2)]))
    with closing(sqlite3.connect(out / "state.db")) as db, db:
        db.execute("DELETE FROM attempts WHERE session = 'duel/m0002-l000-s0'")
    with pytest.raises(StoreError, match="duel/m0002-l000-s0") as caught:
        audit_directory(out)
    assert caught.value.code == "unfinished"
    (out / "state.db").unlink()
    assert main(["audit", str(out)]) == 2
    assert "[unfinished]" in capsys.readouterr().err
