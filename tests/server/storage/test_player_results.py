"""What a player won is added up from the stored hands, by game, day and run, and only so many are read."""

from __future__ import annotations

import random
import statistics
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dealer.intervals import MIN_UNITS, t_quantile
from dealer.rules.events import HandEnded, HandStarted
from dealer.rules.games import Game, holdem
from server.storage.hand_db import HandStoreError
from server.storage.hand_store import HandStore, TableRecorder
from server.storage.player_results import (
    MAX_ENTRIES,
    MAX_POINTS,
    PlayedHand,
    known_players,
    player_results,
    summarize,
)
from tests.dealer.records.played import random_hand

GAME: Final = holdem(3, 5, 10, stack=300)
DAY: Final = 86_400_000
ANN: Final = ("ann", "browser of ann")
BOB: Final = ("bob", "browser of bob")
BOT: Final = ("fair-1", "")


@asynccontextmanager
async def archive(folder: Path) -> AsyncIterator[HandStore]:
    store = HandStore(folder / "hands.sqlite3")
    try:
        yield store
    finally:
        await store.close()


def opened(store: HandStore, name: str = "table-1", mode: str = "cash", kind: str = "") -> TableRecorder:
    return store.open_table(name, mode=mode, game=GAME, seats=3, commitment="c", kind=kind)


def play(
    recorder: TableRecorder, number: int, seated: Sequence[tuple[str, str]], game: Game = GAME
) -> dict[str, float]:
    """Store a hand; what each player won, in big blinds."""
    recorder.begin(game, seated)
    events = random_hand(game, random.Random(number), number).events
    recorder.record_hand(events)
    started, ended = events[0], events[-1]
    assert isinstance(started, HandStarted)
    assert isinstance(ended, HandEnded)
    big = max(game.blinds)
    return {seated[seat][0]: value / big for seat, value in zip(started.seats, ended.values, strict=True)}


async def test_the_sums_are_those_of_the_hands_in_every_seat(tmp_path: Path) -> None:
    async with archive(tmp_path) as store:
        table = opened(store)
        seats = [ANN, BOB, BOT]
        won = [play(table, number, seats[number % 3 :] + seats[: number % 3]) for number in range(1, 41)]
        for name, browsers in (("ann", 1), ("bob", 1), ("fair-1", 0)):
            mine = [hand[name] for hand in won]
            found = await player_results(store, name)
            assert found.total.hands == 40
            assert found.total.won == pytest.approx(sum(mine), abs=0.001)
            assert found.total.rate == pytest.approx(100 * statistics.mean(mine), abs=0.001)
            half = t_quantile(0.975, 39) * statistics.stdev(mine) / 40**0.5 * 100
            assert found.total.half == pytest.approx(half, abs=0.001)
            assert (found.browsers, found.looked_at, found.complete) == (browsers, 40, True)
            assert found.curve.hands == list(range(41))
            assert found.curve.won[-1] == found.total.won
        assert sum([(await player_results(store, name)).total.won for name in won[0]]) == pytest.approx(0)


async def test_a_game_a_day_and_a_run_have_a_row_each(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with archive(tmp_path) as store:
        now = [1_795_000_000_000]
        monkeypatch.setattr("server.storage.hand_store._now", lambda: now[0])
        first, cup = opened(store), opened(store, "table-2", "tournament")
        play(first, 1, [ANN, BOB, BOT])
        now[0] += DAY
        play(first, 2, [ANN, BOB, BOT])
        play(cup, 1, [BOT, ANN, BOB], holdem(3, 50, 100, stack=3000))
        found = await player_results(store, "ann")
        assert [(one.label, one.mode, one.hands) for one in found.games] == [
            (GAME.name, "cash", 2),
            (GAME.name, "tournament", 1),
        ]
        assert [(one.label, one.hands) for one in found.days] == [("2026-11-19", 2), ("2026-11-18", 1)]
        assert {(one.label, one.hands) for one in found.sessions} == {("table-1.1", 2), ("table-2.2", 1)}
        assert found.total.half is None
        assert (await player_results(store, "ann", mode="tournament")).total.hands == 1
        later = await player_results(store, "ann", since=now[0])
        assert (later.total.hands, later.looked_at) == (2, 2)


async def test_a_name_is_not_found_in_another(tmp_path: Path) -> None:
    """Nor in what only looks like the way in which names are stored."""
    async with archive(tmp_path) as store:
        table = opened(store)
        strange = [('x", "y"], ["ann', ""), ('["ann", ', ""), ("Zoë", "")]
        play(table, 1, strange)
        play(table, 2, [("ann-2", "ann"), ("%", ""), ("an_", "")])
        assert (await player_results(store, "ann")).total.hands == 0
        for name, _ in [*strange, ("%", "")]:
            assert (await player_results(store, name)).total.hands == 1
        assert {one.player for one in await known_players(store)} >= {name for name, _ in strange}


async def test_who_sits_out_has_not_played(tmp_path: Path) -> None:
    async with archive(tmp_path) as store:
        table = store.open_table("table-1", mode="cash", game=GAME, seats=4, commitment="c")
        table.begin(GAME, [ANN, BOB, BOT, ("carl", "")])
        table.record_hand(random_hand(GAME, random.Random(1), 1).events)
        assert {one.player for one in await known_players(store)} == {"ann", "bob", "fair-1"}
        assert (await player_results(store, "carl")).total.hands == 0


async def test_a_run_of_a_rival_is_told_when_it_is_over(tmp_path: Path) -> None:
    async with archive(tmp_path) as store:
        rival = opened(store).rival_recorder()
        play(rival, 1, [ANN, BOB, BOT])
        assert (await player_results(store, "fair-1")).total.hands == 0
        rival.close(bytes(32))
        assert (await player_results(store, "fair-1")).total.hands == 1


async def test_no_more_hands_are_read_than_the_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("server.storage.player_results._STEP", 4)
    async with archive(tmp_path) as store:
        # All at once: their order is that of runs and numbers.
        monkeypatch.setattr("server.storage.hand_store._now", lambda: 1_795_000_000_000)
        tables = [opened(store, f"table-{number}") for number in (1, 2)]
        for number in range(1, 11):
            play(tables[number % 2], number, [ANN, BOB, BOT])
        whole = await player_results(store, "ann")
        assert (whole.total.hands, whole.looked_at, whole.complete) == (10, 10, True)
        monkeypatch.setattr("server.storage.player_results.MAX_HANDS", 8)
        part = await player_results(store, "ann")
        assert (part.total.hands, part.looked_at, part.complete) == (8, 8, False)
        monkeypatch.setattr("server.storage.player_results.MAX_HANDS", 12)
        assert (await player_results(store, "ann")).complete


async def test_who_played_last_comes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with archive(tmp_path) as store:
        now = [1_795_000_000_000]
        monkeypatch.setattr("server.storage.hand_store._now", lambda: now[0])
        table = opened(store)
        play(table, 1, [BOB, BOT, ("carl", "")])
        now[0] += 1
        play(table, 2, [ANN, BOT, BOT])
        found = await known_players(store)
        assert {one.player for one in found[:2]} == {"ann", "fair-1"}
        assert {(one.player, one.at) for one in found[2:]} == {("bob", now[0] - 1), ("carl", now[0] - 1)}


@pytest.mark.parametrize("column", ["seated", "events", "game_text"])
async def test_damaged_hands_are_refused_and_not_counted(column: str, tmp_path: Path) -> None:
    async with archive(tmp_path) as store:
        play(opened(store), 1, [ANN, BOB, BOT])
        good = (await player_results(store, "ann")).total.hands
        assert good == 1
        broken = '[["ann", ' if column == "seated" else "nonsense"
        await store.query(lambda db: db.execute(f"UPDATE hands SET {column} = ?", (broken,)))
        with pytest.raises(HandStoreError) as refusal:
            await player_results(store, "ann")
        assert refusal.value.code == "bad_archive"


HANDS = st.lists(
    st.builds(
        PlayedHand,
        at=st.integers(0, 400).map(lambda day: day * DAY),
        run=st.integers(1, 400).map("table-1.{}".format),
        mode=st.just("cash"),
        game=st.sampled_from(["a", "b"]),
        won=st.integers(-100, 100).map(float),
    ),
    max_size=500,
)


@given(HANDS)
def test_whatever_was_played_the_parts_are_the_whole_and_lists_have_an_end(played: list[PlayedHand]) -> None:
    played.sort(key=lambda hand: hand.at)
    found = summarize("ann", played, 0, len(played), complete=True)
    assert sum(one.hands for one in found.games) == found.total.hands == len(played)
    assert sum(one.won for one in found.games) == pytest.approx(found.total.won)
    for rows in (found.days, found.sessions):
        assert len(rows) <= MAX_ENTRIES
        assert [one.at for one in rows] == sorted((one.at for one in rows), reverse=True)
    assert (found.total.half is None) == (len(played) < MIN_UNITS)
    curve = found.curve
    assert len(curve.hands) == len(curve.won) == len(curve.half) <= MAX_POINTS + 1
    assert curve.hands == sorted(set(curve.hands))
    if played:
        assert (curve.hands[0], curve.won[0], curve.hands[-1]) == (0, 0.0, len(played))
        assert curve.won[-1] == found.total.won
