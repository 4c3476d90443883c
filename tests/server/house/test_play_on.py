"""A stored hand is played again from any of its decisions, at a practice table with the same cards."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

from dealer.rules.events import Acted, event_from_data, start_of
from pokerd.commands.serve import offered_bots
from server.people.same_deals import SameDeals
from tests.server.house.lasting import Guest, Houses, hands_of, play

OFFERED = offered_bots()
SECRET = bytes(32)
WISHES: dict[str, Any] = {"seats": 3, "bots": ["fair"], "pause_ms": 0, "decision_ms": 600_000}


def begin(houses: Houses) -> None:
    houses.begin()
    houses.lobby.bots = OFFERED
    houses.lobby._same_deals = SameDeals(houses.archive, SECRET)


@pytest.fixture
async def played(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Houses, list[Guest]]:
    """Ann and Bob have played with the bot ``fair-1``."""
    houses = Houses(tmp_path, monkeypatch)
    begin(houses)
    ann, bob = Guest("ann", person=True, identity="i1"), Guest("bob", person=True, identity="i2")
    for guest in (ann, bob):
        guest.come(houses.house)
    ann.say("create", **WISHES)
    guests = [ann, bob, houses.servant("fair-1")]
    for guest in (ann, bob):
        guest.say("join", table="table-1")
    play(houses, [*guests], lambda: houses.archive._hand_count >= 6, random.Random(1))
    return houses, guests


def close(houses: Houses) -> None:
    houses.table().stop("closed")
    houses.archive.checkpoint()


def refusals(news: list[dict[str, Any]]) -> list[tuple[str, str]]:
    return [(message["code"], message["field"]) for message in news if message["type"] == "error"]


async def test_a_hand_is_played_on_with_its_cards_by_house_bots(played: tuple[Houses, list[Guest]]) -> None:
    houses, (ann, *_) = played
    close(houses)
    rows = hands_of(houses.path)
    for number, (run, hand, _, text) in enumerate(rows[:4], 2):
        events = [event_from_data(data) for data in json.loads(text)]
        start, acted = start_of(events), [event for event in events if isinstance(event, Acted)]
        keep = len(acted) - 1
        news = ann.say("create", deals=f"table-1.{run}.{hand}", keep=keep, pause_ms=0)
        table_id = news[-1]["table"]
        assert table_id == f"table-{number}"
        ann.say("join", table=table_id)
        table = houses.table(table_id)
        bots = [player for player in table.players if player is not None and player.is_house_bot]
        # Bob's seat is a strong bot's.
        names = {"fair", "nolimit"} if acted[keep].seat else {"nolimit"}
        assert {bot.name.rpartition("-")[0] for bot in bots} == names
        guests = [ann, *(houses.servant(bot.name) for bot in bots)]
        for guest in guests:
            guest.say("ready", table=table_id)
        again = start_of(table.progress.events)
        same = ("hand", "hole", "stacks")
        assert [getattr(again, key) for key in same] == [getattr(start, key) for key in same]
        assert again.seats.index(len(bots)) == start.seats.index(acted[keep].seat)
        done = [event[1:] for event in table.progress.events if isinstance(event, Acted)]
        assert done == [event[1:] for event in acted[:keep]]
        assert table.table.turn_seat == len(bots)
        # A server that is begun anew goes on with it, and it comes again, from the same point.
        if number == 2:
            houses.archive.commit()
            houses.kill()
            begin(houses)
            ann.come(houses.house)
            table = houses.table(table_id)
            guests = [ann, *(houses.servant(bot.name) for bot in bots)]
        first = start_of(table.progress.events)
        seqs = set[int]()

        def repeated(table: Any = table, first: Any = first, seqs: Any = seqs) -> bool:
            assert start_of(table.progress.events)._replace(hand=0) == first._replace(hand=0)
            assert table.info().again
            seqs.add(table.progress.first_seq)
            return len(seqs) > 2

        play(houses, [*guests], repeated, random.Random(2))
        table.stop("closed")
    # It is stored nowhere.
    houses.archive.checkpoint()
    assert hands_of(houses.path) == rows
    houses.kill()


async def test_only_hands_whose_deck_everybody_may_know_are_played_on(
    played: tuple[Houses, list[Guest]],
) -> None:
    houses, (ann, *_) = played
    houses.archive.checkpoint()
    run, hand, *_ = hands_of(houses.path)[0]
    text = f"table-1.{run}.{hand}"
    open_tables = set(houses.house.open_tables)
    assert refusals(ann.say("create", deals=text)) == [("bad_table", "deals")]
    close(houses)
    open_tables.remove("table-1")
    for wish in (f"table-1.{run}.{hand + 1000}", f"table-2.{run}.{hand}", f"table-1.{run + 1}.{hand}"):
        assert refusals(ann.say("create", deals=wish)) == [("bad_table", "deals")]
    for keep in (-1, 1000):
        assert refusals(ann.say("create", deals=text, keep=keep)) == [("bad_table", "keep")]
    houses.lobby._same_deals = None
    assert refusals(ann.say("create", deals=text)) == [("bad_table", "deals")]
    assert set(houses.house.open_tables) == open_tables
    houses.kill()
