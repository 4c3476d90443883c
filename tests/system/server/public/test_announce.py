"""What is told of a competition while it is played gives nothing of it away."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from dealer.match import Session
from protocol.public import CompetitionStandings, FinishedHand, ProgressReport, PublicEvent, encode
from server.competition.runner import Runner
from server.public.bus import EventBus
from server.public.feed import CompetitionFeed
from tests.support.competitions.arena import bot, competition, division, hosted
from tests.support.houses.visible_cards import strings

BOTS = [bot(name, run=name, reset="message", tables=8) for name in ("call", "random", "raise")]
TWO = [division("duel", hands=6, matches=2), division("kuhn", game="kuhn.limit.2p", hands=4, matches=3)]


class Heard:
    """A competition that was listened to: each event with the sessions that were over when it was told."""

    def __init__(self) -> None:
        self.over: set[str] = set()
        self.events: list[tuple[PublicEvent, frozenset[str]]] = []

    def of(self, kind: type) -> list[tuple[PublicEvent, frozenset[str]]]:
        return [(event, over) for event, over in self.events if isinstance(event, kind)]


async def listened(text: str, out: Path, *, watched: bool = True) -> tuple[Heard, Runner]:
    bus = EventBus()
    heard = Heard()
    async with hosted(text, out, workers=3) as runner, asyncio.timeout(60):
        announcer = CompetitionFeed(bus, runner)

        def on_session(session: Session, hands: int) -> None:
            heard.over.add(session.name)
            announcer.on_session(session, hands)

        async def listen() -> None:
            with bus.subscribe("test") as events:
                async for event in events:
                    heard.events.append((event, frozenset(heard.over)))

        listener = asyncio.create_task(listen()) if watched else None
        try:
            await runner.run(on_session)
            await announcer.finish(json.loads((out / "standings.json").read_bytes()))
        finally:
            await announcer.close()
            bus.close()
            if listener is not None:
                await listener
    return heard, runner


@pytest.mark.parametrize("settings", [{"deck": "acpc", "seed": 7}, {"anonymous": True}], ids=str)
async def test_a_hand_is_told_when_nobody_will_be_dealt_it_any_more(
    settings: dict[str, Any], tmp_path: Path
) -> None:
    """Nor, from an ``acpc`` deck, any other hand of the same seed."""
    heard, runner = await listened(competition(BOTS, TWO, **settings), tmp_path / "out")
    assert len(runner.competition.sessions) == 3 * 2 * 2 + 3 * 2 * 3
    assert len(heard.of(FinishedHand)) == 3 * 2 * 2 * 6 + 3 * 2 * 3 * 4
    told_in_time(heard, runner, one_seed="deck" in settings)
    if "anonymous" in settings:
        pseudonyms_stay_what_they_are(heard)


def told_in_time(heard: Heard, runner: Runner, *, one_seed: bool = False) -> None:
    """No hand while it, or with ``one_seed`` any other, may still be dealt."""
    sessions = {
        runner.competition.public_names(session)[0]: session for session in runner.competition.sessions
    }
    assert len(sessions) == len(runner.competition.sessions)
    early = 0
    for event, over in heard.of(FinishedHand):
        assert isinstance(event, FinishedHand)
        session = sessions[event.table]
        same = {one.name for one in sessions.values() if one_seed or one.match == session.match}
        assert same <= over
        early += len(over) < len(sessions)
        names = runner.competition.public_names(session)[1]
        # Who has lost all his chips in a tournament is not dealt in.
        assert len(event.players) == len(names) or session.division == "cup"
        assert all(player.name == names[player.seat] for player in event.players)
    assert bool(early) != one_seed


def pseudonyms_stay_what_they_are(heard: Heard) -> None:
    """While it is played."""
    names = {"call", "random", "raise"}
    for event, _ in heard.events:
        if isinstance(event, CompetitionStandings):
            assert event.final
            continue
        # What was done is told, and one of the bots is called like it.
        words = [text for text in strings(json.loads(encode(event))) if text in names]
        assert set(words) <= {"call", "raise"}
        if isinstance(event, FinishedHand):
            assert all(player.name.startswith("guest-") for player in event.players)
    assert len(heard.of(CompetitionStandings)) == 1


async def test_standings_and_progress(tmp_path: Path) -> None:
    cup = division("cup", table={"mode": "tournament", "players": 3, "stack": 40, "levels": [[10, 20, 0, 5]]})
    heard, runner = await listened(competition(BOTS, [*TWO, cup], workers=2), tmp_path / "out")
    told_in_time(heard, runner)
    for event, _ in heard.of(CompetitionStandings):
        assert isinstance(event, CompetitionStandings)
        for one in event.divisions:
            assert sum(bot.chips for bot in one.ranking) == pytest.approx(0)
            assert [bot.chips for bot in one.ranking] == sorted((b.chips for b in one.ranking), reverse=True)
    before, last = [event for event, _ in heard.of(CompetitionStandings)][-2:]
    assert isinstance(before, CompetitionStandings)
    assert isinstance(last, CompetitionStandings)
    assert (before.final, last.final) == (False, True)
    assert [one.unit for one in last.divisions] == ["hand", "hand", "tournament"]
    progress = heard.of(ProgressReport)[-1][0]
    assert isinstance(progress, ProgressReport)
    assert {one.division: (one.sessions, one.done) for one in progress.divisions} == {
        name: (count, count) for name, count in runner.progress.sessions.items()
    }
    # What was known at last is what the results say, but for the statistics.
    known = runner.progress.chips
    for one in last.divisions:
        assert {bot.name: bot.chips for bot in one.ranking} == known[one.division]
        # Each bot meets two others (the cup: both), at both (all six) seatings, in every match.
        played = {"duel": 2 * 2 * 2 * 6, "kuhn": 2 * 2 * 3 * 4, "cup": 6}[one.division]
        assert {bot.hands for bot in one.ranking} == {played}


async def test_nobody_watches(tmp_path: Path) -> None:
    """Then nothing is read again, and the states are there for who comes."""
    heard, _ = await listened(competition(BOTS[:2], [division(hands=2)]), tmp_path / "out", watched=False)
    assert not heard.events
