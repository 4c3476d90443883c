"""Hints at practice tables: what a strong bot would do, for the person alone and from what he knows."""

from __future__ import annotations

import asyncio
import itertools
import json
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from dealer.rules.cards import parse_card
from dealer.rules.events import HandStarted
from dealer.rules.games import Game, holdem
from pokerd.commands.serve import offered_bots, push_fold_tables
from protocol.errors import Refused
from protocol.people import CreateTable
from server.bots.processes import ProcessManager
from server.house import ranges
from server.house.coach import (
    ALL_IN_OR_FOLD,
    COACHES,
    FULL_TABLE_LIMIT,
    HEADS_UP_LIMIT,
    NO_LIMIT,
    NO_LIMIT_DEPTHS,
    coach_name,
    depth_of,
)
from server.house.house import House
from server.house.lobby import Lobby
from server.house.ranges import group_hands
from server.tables.config import config_from_request
from server.tables.player import Player
from strategy.nolimit_bots.policy import DEPTHS, nearest_depth
from strategy.poker.preflop import HAND_CLASSES, class_combinations, hand_class
from strategy.registry import strategy_names
from tests.server.house.lasting import Guest, Houses
from tests.support.houses.open_house import Kept
from tests.support.houses.people import Memory, Message, at_table, listening

OFFERED = offered_bots()
DUEL: dict[str, Any] = {"seats": 2, "bots": ["call"], "practice": True, "pause_ms": 0}


class Room:
    """A house in which the bots are played by the test."""

    def __init__(self, folder: Path) -> None:
        self.lobby = Lobby(ProcessManager(folder), bots=OFFERED, make_house=partial(House, guests=True))
        self.house = self.lobby.house

    def come(self, name: str) -> Memory:
        client = Memory(self.house)
        client.connection.address = "192.0.2.1"
        client.say("hello", name=name, person=True, tables=9)
        return client

    def bot(self, name: str) -> Memory:
        """A house bot, which has connected."""
        client = Memory(self.house)
        client.say("hello", name=name, token=self.house.players[name].token, tables=4096)
        return client


def one(news: list[Message], kind: str) -> Message:
    found = [message for message in news if message["type"] == kind]
    assert len(found) == 1, news
    return found[0]


def codes(news: list[Message]) -> list[str]:
    return [message["code"] for message in news if message["type"] == "error"]


class Duel:
    """Ann against ``call-1``, and somebody who looks on; it is Ann's turn."""

    def __init__(self, room: Room, **wishes: Any) -> None:
        self.house = room.house
        self.ann, self.ben = room.come("ann"), room.come("ben")
        self.ann.say("create", **(DUEL | wishes))
        self.table = "table-1"
        self.ben.say("watch", table=self.table)
        self.ann.say("join", table=self.table)
        self.call = room.bot("call-1")
        self.call.say("ready", table=self.table)
        self.ann.say("ready", table=self.table)
        table = self.house.open_tables[self.table]
        for _ in range(2):
            # A challenge begins a little later.
            if table.table.hand is None:
                table.tick(table.now() + 60)
        self.until_my_turn()

    def until_my_turn(self) -> Message:
        """Ann's open turn, once ``call-1`` has called."""
        for _ in range(9):
            for client in (self.ann, self.call):
                client.news()
                asked = [message for message in client.heard if message["type"] == "turn"]
                if not asked or self.house.open_tables[self.table].table.turn != asked[-1]["turn"]:
                    continue
                if client is self.ann:
                    self.turn: Message = asked[-1]
                    return self.turn
                client.say("act", table=self.table, turn=asked[-1]["turn"], action="call")
        raise AssertionError(self.ann.heard)

    def play_out(self, action: str) -> None:
        """Let Ann do this, or check, until the hand is over."""
        table = self.house.open_tables[self.table].table
        while table.hand is not None:
            turn = self.until_my_turn()
            able = action if turn.get("fold") or action != "fold" else "call"
            self.ann.say("act", table=self.table, turn=turn["turn"], action=able)
            self.answer()

    def play_back(self, actions: int) -> None:
        """Let both call until so many actions are done, and Ann is to act."""
        table = self.house.open_tables[self.table]
        while sum(event.kind == "acted" for event in table.progress.events) < actions:
            turn = self.until_my_turn()
            self.ann.say("act", table=self.table, turn=turn["turn"], action="call")
            self.answer()

    def answer(self) -> None:
        """Let ``call-1`` call as long as it is asked."""
        table = self.house.open_tables[self.table].table
        for _ in range(9):
            self.call.news()
            asked = [message for message in self.call.heard if message["type"] == "turn"]
            if table.hand is None or not asked or table.turn != asked[-1]["turn"]:
                return
            self.call.say("act", table=self.table, turn=asked[-1]["turn"], action="call")

    def ask(self, **other: Any) -> list[Message]:
        return self.ann.say("hint", **({"table": self.table, "turn": self.turn["turn"]} | other))


def test_the_coaches_are_house_bots() -> None:
    assert set(COACHES) <= set(strategy_names())


async def test_it_is_asked_with_what_the_person_knows_and_answers_him_alone(tmp_path: Path) -> None:
    room = Room(tmp_path)
    duel = Duel(room)
    coach = room.bot(coach_name(NO_LIMIT))
    for client in (duel.ann, duel.ben, duel.call, coach):
        client.news()
    assert duel.ask() == []
    asked = coach.news()
    assert asked[0]["type"] == "match_start"
    start, turn = one(asked, "hand_start"), one(asked, "turn")
    mine = one([message for message in duel.ann.heard if message["type"] == "hand_start"], "hand_start")
    assert start["hole"] == mine["hole"]
    assert [start[key] for key in ("hand", "button", "seats", "stacks", "blinds")] == [
        mine[key] for key in ("hand", "button", "seats", "stacks", "blinds")
    ]
    assert [turn.get(key) for key in ("fold", "call", "raise_to", "pot")] == [
        duel.turn.get(key) for key in ("fold", "call", "raise_to", "pot")
    ]
    # Nobody else's cards are anywhere in what it was told.
    theirs = one(duel.call.heard, "hand_start")["hole"]
    assert not any(card in str(asked) for card in theirs)
    policy = [["call", 0, 0.75], ["raise", 30, 0.25]]
    coach.say("act", table=turn["table"], turn=turn["turn"], action="call", policy=policy)
    hinted = one(duel.ann.news(), "hinted")
    told = {"bot": NO_LIMIT, "chances": policy, "hints": 1, "depth": 100}
    assert hinted == {"type": "hinted", "table": "table-1", "turn": duel.turn["turn"], **told}
    assert duel.ben.news() == duel.call.news() == []
    # The same again: the same answer, without another question, counted once.
    assert one(duel.ask(), "hinted") == hinted
    assert coach.news() == []
    # The game goes on as it would have.
    duel.ann.say("act", table=duel.table, turn=duel.turn["turn"], action="call")
    assert duel.ben.news()
    room.house.close()


async def test_what_it_draws_from_one_action_is_certain(tmp_path: Path) -> None:
    room = Room(tmp_path)
    duel = Duel(room)
    coach = room.bot(coach_name(NO_LIMIT))
    duel.ask()
    turn = one(coach.news(), "turn")
    coach.say("act", table=turn["table"], turn=turn["turn"], action="raise", to=30)
    assert one(duel.ann.news(), "hinted")["chances"] == [["raise", 30, 1.0]]
    # A second answer is no second hint.
    coach.say("act", table=turn["table"], turn=turn["turn"], action="fold")
    assert duel.ann.news() == []
    room.house.close()


async def test_a_hint_that_comes_too_late_is_not_given(tmp_path: Path) -> None:
    room = Room(tmp_path)
    duel = Duel(room)
    duel.ask()
    duel.ann.say("act", table=duel.table, turn=duel.turn["turn"], action="call")
    # The coach connects only now, and is asked what was open.
    coach = room.bot(coach_name(NO_LIMIT))
    turn = one(coach.news() + coach.heard, "turn")
    duel.until_my_turn()
    coach.say("act", table=turn["table"], turn=turn["turn"], action="call")
    assert [message for message in duel.ann.news() + duel.ann.heard if message["type"] == "hinted"] == []
    # The next turn has its own; by then there is a board.
    duel.ask()
    again = coach.news()
    assert one(again, "board")["cards"]
    newer = one(again, "turn")
    assert newer["turn"] > turn["turn"]
    coach.say("act", table=newer["table"], turn=newer["turn"], action="call")
    assert one(duel.ann.news(), "hinted")["hints"] == 1
    room.house.close()


async def test_who_returns_has_his_hint_and_its_count(tmp_path: Path) -> None:
    room = Room(tmp_path)
    duel = Duel(room)
    coach = room.bot(coach_name(NO_LIMIT))
    duel.ask()
    turn = one(coach.news(), "turn")
    coach.say("act", table=turn["table"], turn=turn["turn"], action="call")
    hinted = one(duel.ann.news(), "hinted")
    resume = next(message["resume"] for message in duel.ann.heard if message["type"] == "welcome")
    duel.ann.break_off()
    again = Memory(room.house)
    news = again.say("hello", name="ann", person=True, tables=9, resume=resume)
    assert one(news, "hinted") == hinted
    assert room.house.open_tables["table-1"].snapshot().hints == 1
    again.say("act", table=duel.table, turn=duel.turn["turn"], action="call")
    again.break_off()
    third = Memory(room.house)
    news = third.say("hello", name="ann", person=True, tables=9, resume=resume)
    hinted.pop("depth")
    assert one(news, "hinted") == {**hinted, "turn": 0, "bot": "", "chances": []}
    room.house.close()


async def test_a_coach_whose_process_ends_is_asked_again(tmp_path: Path) -> None:
    room = Room(tmp_path)
    duel = Duel(room)
    coach = room.bot(coach_name(NO_LIMIT))
    duel.ask()
    coach.news()
    coach.break_off()
    room.house.give_up_seats(room.house.players[coach_name(NO_LIMIT)])
    coach = room.bot(coach_name(NO_LIMIT))
    assert not [message for message in coach.news() if message["type"] == "turn"]
    duel.ask()
    assert one(coach.news(), "turn")
    room.house.close()


async def test_hints_are_refused_wherever_nobody_practises(tmp_path: Path) -> None:
    room = Room(tmp_path)
    duel = Duel(room, practice=False)
    coach = room.bot(coach_name(NO_LIMIT))
    assert codes(duel.ask()) == ["no_practice"]
    assert codes(duel.ben.say("hint", table=duel.table, turn=duel.turn["turn"])) == ["unknown_table"]
    assert coach.news() == []
    room.house.close()


async def test_hints_are_refused_in_a_challenge(tmp_path: Path) -> None:
    room = Room(tmp_path)
    duel = Duel(room, practice=False, mode="challenge", rival="call", hands=10)
    assert codes(duel.ask()) == ["no_practice"]
    room.house.close()


async def test_hints_are_refused_out_of_turn(tmp_path: Path) -> None:
    room = Room(tmp_path)
    duel = Duel(room)
    assert codes(duel.ask(turn=duel.turn["turn"] + 1)) == ["no_practice"]
    assert codes(duel.ask(table="table-2")) == ["unknown_table"]
    assert codes(duel.call.say("hint", table=duel.table, turn=duel.turn["turn"])) == ["no_practice"]
    assert codes(duel.ben.say("hint", table=duel.table, turn=duel.turn["turn"])) == ["unknown_table"]
    duel.ann.say("act", table=duel.table, turn=duel.turn["turn"], action="call")
    assert codes(duel.ask()) == ["no_practice"]
    room.house.close()


async def test_the_owner_practises_alone(tmp_path: Path) -> None:
    room = Room(tmp_path)
    duel = Duel(room)
    assert codes(room.come("eve").say("join", table=duel.table)) == ["no_seat"]
    seats = [message for message in duel.ben.heard if message["type"] == "seats"]
    assert seats[-1]["practice"] is True
    # Its way to the table ends with the table.
    player = room.house.players[coach_name(NO_LIMIT)]
    assert player.seats
    room.house.open_tables[duel.table].stop("closed")
    assert not player.seats
    room.house.close()


async def test_hints_are_refused_at_the_tables_of_competitions(tmp_path: Path) -> None:
    room = Room(tmp_path)
    clients = {name: Memory(room.house) for name in ("ann", "bob")}
    actor = at_table(room.house, [Player(name) for name in clients], name="session-1")
    for name, client in clients.items():
        client.say("hello", name=name, resume=room.house.players[name].resume)
        client.say("ready", table="session-1")
    assert actor.started
    ann = clients["ann"]
    assert codes(ann.say("hint", table="session-1", turn=actor.table.turn)) == ["no_practice"]
    room.house.close()


async def test_their_count_survives_the_end_of_the_server(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    houses = Houses(tmp_path, monkeypatch)
    houses.begin()
    houses.lobby.bots = OFFERED
    ann = Guest("ann", person=True, identity="i1")
    ann.come(houses.house)
    ann.say("create", **DUEL)
    ann.say("join", table="table-1")
    houses.house.open_tables["table-1"].practice.hints = 3
    houses.house.open_tables["table-1"]._save()
    houses.archive.commit()
    houses.kill()
    houses.begin()
    news = ann.come(houses.house)
    assert one(news, "hinted")["hints"] == 3
    table = houses.house.open_tables["table-1"]
    assert table.config.practice
    assert table.practice.giver is not None
    houses.kill()


async def test_a_hand_comes_again_and_is_counted_nowhere(tmp_path: Path) -> None:
    room = Room(tmp_path)
    duel = Duel(room, pause_ms=60_000)
    table = room.house.open_tables[duel.table]
    kept = Kept()
    table.recorders.append(kept)
    first = one(duel.ann.heard, "hand_start")
    stacks: list[int] = []
    # Asked for in the hand, it begins when that is over; afterwards, at once.
    for number in range(3):
        if number == 0:
            assert duel.ann.say("again", table=duel.table, hand=first["hand"]) == []
        duel.play_out("call" if number else "fold")
        stacks = stacks or [int(table.table_format.chips(seat)) for seat in (0, 1)]
        assert [int(table.table_format.chips(seat)) for seat in (0, 1)] == stacks
        assert len(kept.hands) == table.hands == 1
        if number == 1:
            duel.ann.say("again", table=duel.table, hand=first["hand"])
            assert table.table.deadline == pytest.approx(table.now(), abs=1)
        if number < 2:
            table.tick(table.table.deadline or 0.0)
            news = duel.ann.news()
            begun = one(news, "hand_start")
            assert {**begun, "seq": 0} == {**first, "seq": 0}
            assert begun["seq"] > first["seq"]
            # Told only if it is news: after a split pot nothing has changed.
            assert table.info().again
            told = [seats for seats in news if seats["type"] == "seats"]
            assert all(seats["again"] for seats in told[-1:])
    table.tick(table.table.deadline or 0.0)
    second = one(duel.ann.news(), "hand_start")
    assert (second["hand"], sorted(second["stacks"])) == (first["hand"] + 1, sorted(stacks))
    assert not table.info().again
    assert codes(duel.ann.say("again", table=duel.table, hand=first["hand"])) == ["no_practice"]
    room.house.close()


async def test_an_action_is_taken_back_and_the_hand_goes_on_from_there(tmp_path: Path) -> None:
    room = Room(tmp_path)
    duel = Duel(room, pause_ms=60_000)
    table = room.house.open_tables[duel.table]
    kept = Kept()
    table.recorders.append(kept)
    first = one(duel.ann.heard, "hand_start")
    before = [int(table.table_format.chips(seat)) for seat in (0, 1)]
    asked = {"table": duel.table, "hand": first["hand"]}
    turn, to = duel.turn["turn"], duel.turn["raise_to"][0]
    duel.ann.say("act", table=duel.table, turn=turn, action="raise", to=to)
    # Not while the other is to act, and not to where the hand has not been.
    assert codes(duel.ann.say("again", **asked, keep=0)) == ["no_practice"]
    duel.answer()
    duel.until_my_turn()
    done = [event for event in table.progress.events if event.kind == "acted"]
    assert codes(duel.ann.say("again", **asked, keep=len(done))) == ["no_practice"]
    assert codes(duel.ann.say("again", table=duel.table, hand=first["hand"] + 1, keep=0)) == ["no_practice"]
    for keep in (1, 0, 2):
        duel.play_back(3)
        duel.until_my_turn()
        done = [event for event in table.progress.events if event.kind == "acted"]
        news = duel.ann.say("again", **asked, keep=keep)
        assert {**one(news, "hand_start"), "seq": 0} == {**first, "seq": 0}
        again = [event for event in table.progress.events if event.kind == "acted"]
        assert again == done[:keep]
    assert table.info().again
    duel.play_out("fold")
    # The hand was taken back before it was over: nobody has won anything, and it is nowhere.
    assert [int(table.table_format.chips(seat)) for seat in (0, 1)] == before
    assert (len(kept.hands), table.hands) == (0, 0)
    assert codes(duel.ann.say("again", **asked, keep=1)) == []
    table.tick(table.table.deadline or 0.0)
    assert [event.kind for event in table.progress.events[1:]] == ["acted"]
    room.house.close()


async def test_no_hand_comes_again_where_nobody_practises(tmp_path: Path) -> None:
    room = Room(tmp_path)
    duel = Duel(room, practice=False)
    assert codes(duel.ann.say("again", table=duel.table, hand=1)) == ["no_practice"]
    assert codes(duel.ben.say("again", table=duel.table, hand=1)) == ["unknown_table"]
    room.house.close()


def answer_all(coach: Memory, wish: Any = lambda _start, _board: []) -> list[tuple[Message, list[str]]]:
    """Answer all that the coach is asked about hands: what it was told, and the board at that time. ``wish``
    returns its chances.
    """
    asked = []
    read = 0
    start, board = dict[str, Any](), list[str]()
    while len(coach.heard) > read or coach.news():
        fresh, read = coach.heard[read:], len(coach.heard)
        for message in fresh:
            if message["type"] == "hand_start":
                start, board = message, []
            elif message["type"] == "board":
                board += message["cards"]
            elif message["type"] == "turn":
                asked.append((start, list(board)))
                chances = wish(start, board)
                coach.say("act", table=message["table"], turn=message["turn"], action="call", policy=chances)
        coach.news()
    return asked


async def test_ranges_are_those_of_every_hand_in_my_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    room = Room(tmp_path)
    duel = Duel(room, pause_ms=60_000)
    coach = room.bot(coach_name(NO_LIMIT))
    coach.news()
    wish = {"table": duel.table, "hand": 1}
    assert codes(duel.ann.say("range", **wish)) == ["no_practice"]
    duel.play_out("call")
    for client in (duel.ann, duel.ben, duel.call):
        client.news()
    assert duel.ann.say("range", **wish) == []
    coach.heard.clear()

    # Aces raise three times in four; suited hands would have folded before the flop.
    def chances(start: Message, board: list[str]) -> list[tuple[str, int, float]]:
        one, two = start["hole"]
        if one[0] == two[0] == "A":
            return [("call", 0, 0.25), ("raise", 30, 0.75)]
        return [("fold" if one[1] == two[1] and not board else "call", 0, 1.0)]

    asked = answer_all(coach, chances)
    # Before the flop every kind of hand once, and nobody else's cards.
    first = [start["hole"] for start, board in asked if not board]
    assert [hand_class([*map(parse_card, hole)]) for hole in first] == list(HAND_CLASSES)
    told = [message for message in duel.ann.news() if message["type"] == "ranges"]
    decisions = told[-1]["decisions"]
    # Each decision is told as soon as it is answered.
    assert [(message["decisions"], message["awaited"]) for message in told] == [
        (decisions[:many], 4 - many) for many in range(1, 5)
    ]
    assert [(decision["street"], decision["action"]) for decision in decisions] == [
        *((street, "call") for street in range(4))
    ]
    assert decisions[0]["chances"][0] == [0.0, 0.25, 0.75]
    assert decisions[0]["weights"] == pytest.approx(
        [class_combinations(name) / 1326 for name in HAND_CLASSES], abs=1e-6
    )
    for street, decision in enumerate(decisions[1:], 1):
        board = [card for event in duel.ann.heard if event["type"] == "board" for card in event["cards"]]
        board = board[: street + 2]
        assert sum(decision["weights"]) == pytest.approx(1, abs=1e-4)
        aces = 4 - sum(card[0] == "A" for card in board)
        for name, row, weight in zip(HAND_CLASSES, decision["chances"], decision["weights"], strict=True):
            # Who has it is not where suited hands fold, and nobody holds a card of the board.
            assert not (name.endswith("s") and weight)
            if name == "AA":
                assert row == ([0.0, 0.25, 0.75] if aces > 1 else [0.0, 0.0, 0.0])
            else:
                assert row in ([0.0, 1.0, 0.0], [0.0, 0.0, 0.0])
    assert duel.ben.news() == duel.call.news() == []
    # A second time it is not asked, and tells the same, without work: people may ask very often.
    monkeypatch.setattr(ranges, "describe", None)
    monkeypatch.setattr(ranges, "group_hands", None)
    assert one(duel.ann.say("range", **wish), "ranges")["decisions"] == decisions
    assert coach.news() == []
    room.house.close()


def held(board: list[str], hole: tuple[int, ...]) -> set[tuple[Any, ...]]:
    """A hand on a board in all names that the suits could have."""
    cards = [*map(parse_card, board)]
    return {
        (
            *(tuple(sorted((card & ~3) + names[card & 3] for card in part)) for part in (hole, cards[:3])),
            *((card & ~3) + names[card & 3] for card in cards[3:]),
        )
        for names in itertools.permutations(range(4))
    }


@pytest.mark.parametrize("board", [["Ah", "Kd", "7c"], ["Ah", "Kh", "7c"], ["Ah", "Kh", "7h", "7c", "2h"]])
def test_hands_are_alike_if_only_the_names_of_suits_differ(board: list[str]) -> None:
    cards = [*map(parse_card, board)]
    alike = group_hands([tuple(cards[:3]), *((card,) for card in cards[3:])])
    hands = [hand for hand in itertools.combinations(range(52), 2) if not {*hand} & {*cards}]
    assert {tuple(sorted(hand)) for hand in alike.group} == {*hands}
    forms = {hand: min(held(board, hand)) for hand in hands}
    groups = {tuple(sorted(hand)): group for hand, group in alike.group.items()}
    assert len(set(zip(map(groups.get, hands), map(forms.get, hands), strict=True))) == len(alike.asked)
    assert len({*forms.values()}) == len(alike.asked)


async def test_who_asks_about_a_newer_hand_need_not_wait_for_the_older(tmp_path: Path) -> None:
    room = Room(tmp_path)
    duel = Duel(room, pause_ms=60_000)
    coach = room.bot(coach_name(NO_LIMIT))
    duel.play_out("call")
    duel.ann.say("range", table=duel.table, hand=1)
    # Asked again meanwhile, it tells what it knows.
    early = one(duel.ann.say("range", table=duel.table, hand=1), "ranges")
    assert (early["hand"], early["decisions"], early["awaited"]) == (1, [], 4)
    table = room.house.open_tables[duel.table]
    table.tick(table.table.deadline or 0.0)
    duel.until_my_turn()
    duel.play_out("fold")
    duel.ann.news()
    assert duel.ann.say("range", table=duel.table, hand=2) == []
    answer_all(coach)
    told = [message for message in duel.ann.news() if message["type"] == "ranges"]
    assert {message["hand"] for message in told} == {2}
    assert told[-1]["awaited"] == 0
    room.house.close()


async def test_a_hand_of_many_raises_is_told_in_part_and_in_frames_that_bots_take(tmp_path: Path) -> None:
    room = Room(tmp_path)
    duel = Duel(room, pause_ms=60_000, stack=100_000)
    coach = room.bot(coach_name(NO_LIMIT))
    table = room.house.open_tables[duel.table]
    # Both raise by the least until nobody can any more, or long enough.
    for _ in range(60):
        hand = table.table.hand
        if hand is None or table.table.turn_seat < 0 or hand.board:
            break
        least = hand.legal().min_raise if len(hand.events) < 50 else None
        client = (duel.call, duel.ann)[table.table.turn_seat]
        action = {"action": "raise", "to": least} if least else {"action": "call"}
        client.say("act", table=duel.table, turn=table.table.turn, **action)
    duel.play_out("call")
    duel.ann.say("range", table=duel.table, hand=1)
    assert len(answer_all(coach)) == 169 * 6
    assert len(duel.ann.news()[-1]["decisions"]) == 6
    assert max(len(json.loads(frame)) for frame in coach.frames) <= 1024
    room.house.close()


async def test_ten_players_who_go_on_to_the_river_have_their_ranges_there(tmp_path: Path) -> None:
    room = Room(tmp_path)
    ann = room.come("ann")
    ann.say("create", **(DUEL | {"seats": 10, "bots": ["call"] * 9, "pause_ms": 60_000}))
    ann.say("join", table="table-1")
    clients = [*(room.bot(f"call-{number}") for number in range(1, 10)), ann]
    for client in clients:
        client.say("ready", table="table-1")
    table = room.house.open_tables["table-1"]
    seated = {client.connection.player: client for client in clients}
    while table.table.hand is not None:
        asked = seated[table.players[table.table.turn_seat]]
        asked.say("act", table="table-1", turn=table.table.turn, action="call")
    events = table.progress.events[: ranges.MOST_EVENTS]
    for seat in range(10):
        assert len(list(ranges.decisions_of(events, seat))) == 4
    room.house.close()


def asking(folder: Path) -> tuple[Room, Duel]:
    """Ann has called to the end of the first hand, and asked for its ranges."""
    room = Room(folder)
    duel = Duel(room, pause_ms=60_000)
    duel.play_out("call")
    duel.ann.say("range", table=duel.table, hand=1)
    return room, duel


async def test_ranges_are_asked_for_anew_when_the_connection_was_lost(tmp_path: Path) -> None:
    room, duel = asking(tmp_path)
    # Half of the answers are lost with the connection.
    coach = room.bot(coach_name(NO_LIMIT))
    coach.news()
    for turn in [message for message in coach.heard if message["type"] == "turn"][:80]:
        coach.say("act", table=turn["table"], turn=turn["turn"], action="fold")
    coach.break_off()
    answer_all(room.bot(coach_name(NO_LIMIT)), lambda _start, _board: [("call", 0, 1.0)])
    ranges = duel.ann.news()[-1]
    assert [decision["chances"][-1] for decision in ranges["decisions"]] == [[0.0, 1.0, 0.0]] * 4
    assert ranges["decisions"][0]["chances"] == [[0.0, 1.0, 0.0]] * 169
    # Who connects again finds nothing open, and the answers are still there.
    room.bot(coach_name(NO_LIMIT))
    assert one(duel.ann.say("range", table=duel.table, hand=1), "ranges") == ranges
    room.house.close()


async def test_nobody_waits_for_a_bot_whose_process_has_ended(tmp_path: Path) -> None:
    room, duel = asking(tmp_path)
    coach = room.bot(coach_name(NO_LIMIT))
    coach.news()
    while not duel.ann.news():
        asked = [message for message in coach.heard if message["type"] == "turn"]
        coach.heard.clear()
        for turn in asked:
            coach.say("act", table=turn["table"], turn=turn["turn"], action="call")
        coach.news()
    for seat, number in list(room.house.players[coach_name(NO_LIMIT)].seats.values()):
        seat.give_up_seat(number)
    told = one(duel.ann.news(), "ranges")
    assert (len(told["decisions"]), told["awaited"]) == (1, 0)
    duel.ann.say("range", table=duel.table, hand=1)
    answer_all(coach)
    assert len(duel.ann.news()[-1]["decisions"]) == 4
    room.house.close()


class Timer(asyncio.TimerHandle):
    def cancel(self) -> None:
        # The loop knows nothing of it.
        asyncio.Handle.cancel(self)


class Timers:
    """Calls that were asked for, and a clock that the test sets."""

    def __init__(self) -> None:
        self.now = 0.0
        self._set: list[asyncio.TimerHandle] = []

    def call_later(self, delay: float, callback: Callable[[], None]) -> asyncio.TimerHandle:
        self._set.append(Timer(self.now + delay, callback, (), asyncio.get_running_loop()))
        return self._set[-1]

    def advance(self, seconds: float) -> None:
        self.now += seconds
        due = [one for one in self._set if one.when() <= self.now and not one.cancelled()]
        self._set = [one for one in self._set if one not in due]
        for one in due:
            one._run()


class Others:
    """Somebody at another table who has questions about ranges, and answers when the test says so."""

    def __init__(self) -> None:
        self.turns = 0

    def go_on(self) -> None:
        self.turns += 1


async def test_tables_have_their_turns_and_a_bot_that_is_silent_loses_it() -> None:
    timers = Timers()
    queue = ranges.RangeQueue(timers.call_later)
    one, two, three = (Others() for _ in range(3))

    def turns() -> list[int]:
        return [other.turns for other in (one, two, three)]

    for other in (one, two, three):
        queue.line_up(other, "here")
    assert turns() == [1, 0, 0]
    queue.line_up(one, "here")
    queue.leave(two)
    assert turns() == [1, 1, 1]
    # Whoever is not asked at the moment may go; the others' turns stay as they are.
    queue.leave(one)
    queue.line_up(one, "here")
    timers.advance(ranges.PATIENCE - 1)
    assert turns() == [1, 1, 1]
    timers.advance(1)
    assert turns() == [2, 1, 1]
    assert (one in queue, three in queue) == (True, False)
    # Its late answers bring it back; alone it goes on at once.
    queue.line_up(three, "here")
    queue.leave(one)
    queue.line_up(three, "here")
    assert turns() == [2, 1, 3]
    timers.advance(ranges.PATIENCE)
    assert three not in queue


async def test_few_tables_wait_for_ranges_and_fewer_of_one_address() -> None:
    queue = ranges.RangeQueue(Timers().call_later)
    for number in range(ranges.MAX_WAITING):
        address = f"192.0.2.{number // ranges.MAX_WAITING_PER_SOURCE}"
        queue.verify("table-1", address)
        queue.line_up(Others(), address)
        if number + 1 == ranges.MAX_WAITING_PER_SOURCE:
            with pytest.raises(Refused, match="ask again"):
                queue.verify("table-1", address)
    with pytest.raises(Refused) as refusal:
        queue.verify("table-1", "198.51.100.1")
    assert (refusal.value.code, refusal.value.table) == ("busy", "table-1")


async def test_who_asks_for_ranges_waits_for_others_or_is_refused(tmp_path: Path) -> None:
    room, timers = Room(tmp_path), Timers()
    queue = room.lobby._range_queue = ranges.RangeQueue(timers.call_later)
    duel = Duel(room, pause_ms=60_000)
    duel.play_out("call")
    coach = room.bot(coach_name(NO_LIMIT))
    others = [Others() for _ in range(ranges.MAX_WAITING)]
    for other in others:
        queue.line_up(other, other)
    coach.news()
    duel.ann.news()
    wish = {"table": duel.table, "hand": 1}
    assert codes(duel.ann.say("range", **wish)) == ["busy"]
    queue.leave(others[-1])
    assert duel.ann.say("range", **wish) == coach.news() == []
    # Meanwhile it tells what it knows.
    assert one(duel.ann.say("range", **wish), "ranges")["awaited"] == 4
    for other in others[:-1]:
        queue.leave(other)
    # It does not answer for long: others come first, and when it does, it is asked on.
    queue.line_up(others[0], others[0])
    timers.advance(ranges.PATIENCE)
    assert others[0].turns == 2
    assert 0 < len(answer_all(coach)) <= len(HAND_CLASSES)
    queue.leave(others[0])
    answer_all(coach)
    told = duel.ann.news()[-1]
    assert (len(told["decisions"]), told["awaited"]) == (4, 0)
    room.house.close()


@pytest.mark.parametrize(
    "wishes",
    [
        {"mode": "tournament"},
        {"mode": "challenge", "rival": "call"},
        {"bots": []},
        {"seats": 3},
        {"bots": ["call", "call"]},
    ],
)
def test_practice_is_alone_and_for_cash(wishes: dict[str, Any]) -> None:
    with pytest.raises(Refused) as refusal:
        config_from_request(CreateTable(**(DUEL | wishes)), OFFERED)
    assert (refusal.value.code, refusal.value.field) == ("bad_table", "practice")


async def test_only_a_player_opens_a_practice_table(tmp_path: Path) -> None:
    room = Room(tmp_path)
    with pytest.raises(Refused) as refusal:
        room.lobby.open_permanent(CreateTable(**DUEL))
    assert (refusal.value.code, refusal.value.field) == ("bad_table", "practice")
    room.house.close()


def test_the_depth_is_that_of_the_strategy_in_play() -> None:
    assert NO_LIMIT_DEPTHS == DEPTHS

    def depth(game: Game, *stacks: int) -> int:
        players = range(len(stacks))
        none = (0,) * len(stacks)
        hole = ((),) * len(stacks)
        return depth_of(game, HandStarted(1, tuple(players), 0, stacks, none, game.blinds, hole))

    duel = holdem(2, 50, 100, stack=10_000)
    for stack in (1, 1_400, 1_420, 5_000, 30_000, 99_900, 900_000):
        assert depth(duel, stack, 900_000) == depth(duel, 900_000, stack) == nearest_depth(stack / 100)
    for other in (holdem(2, 5, 10, limit=True), replace(duel, first_player=(0, 0, 0, 0))):
        assert depth(other, 10_000, 10_000) == 0
    assert depth(holdem(3, 50, 100, stack=10_000), 10_000, 10_000, 10_000) == 0


@pytest.mark.parametrize(
    ("wishes", "bot"),
    [
        ({}, NO_LIMIT),
        ({"game": "limit"}, HEADS_UP_LIMIT),
        ({"game": "pushfold"}, ALL_IN_OR_FOLD),
        ({"seats": 3, "bots": ["call", "call"]}, NO_LIMIT),
        ({"seats": 3, "bots": ["call", "call"], "game": "limit"}, FULL_TABLE_LIMIT),
        ({"seats": 3, "bots": ["call", "call"], "game": "pushfold"}, ALL_IN_OR_FOLD),
    ],
)
async def test_each_game_has_its_coach(tmp_path: Path, wishes: dict[str, Any], bot: str) -> None:
    room = Room(tmp_path)
    room.come("ann").say("create", **(DUEL | wishes))
    assert [name for name in COACHES if room.house.players[coach_name(name)].seats] == [bot]
    room.house.close()


async def test_the_hint_is_the_real_strategy_s(tmp_path: Path) -> None:
    """With real processes: all-in or fold with ten big blinds, where the exact chances are known."""
    processes = ProcessManager(tmp_path)
    lobby = Lobby(processes, bots=OFFERED, make_house=partial(House, guests=True))
    async with listening(house=lobby.house) as (house, door), door() as ann:
        lobby.house_bots.on_listening(door.url)
        await ann.say("hello", name="ann", person=True, tables=9)
        await ann.say("create", **(DUEL | {"game": "pushfold", "depth": [10, 10], "pause_ms": 60_000}))
        table = (await ann.hear("created"))["table"]
        await ann.say("join", table=table)
        await ann.hear("match_start")
        await ann.say("ready", table=table)
        start = await ann.hear("hand_start")
        turn = await ann.hear("turn")
        await ann.say("hint", table=table, turn=turn["turn"])
        chances = (await ann.hear("hinted"))["chances"]
        exact = push_fold_tables(10)
        place = HAND_CLASSES.index(hand_class([parse_card(card) for card in start["hole"]]))
        # Who has the button posts the small blind, and acts first.
        table_of = exact.jam if start["button"] == 1 else exact.call
        folds = sum(chance for action, _, chance in chances if action == "fold")
        assert 1 - folds == pytest.approx(table_of[place], abs=1e-4)
        assert sum(chance for _, _, chance in chances) == pytest.approx(1)
        # Afterwards, with every hand.
        await ann.say("act", table=table, turn=turn["turn"], action="fold")
        await ann.hear("hand_end")
        await ann.say("range", table=table, hand=start["hand"])
        [decision] = (await ann.hear("ranges"))["decisions"]
        assert [1 - one[0] for one in decision["chances"]] == pytest.approx(list(table_of), abs=2e-4)
        house.close()
        await lobby.close()
        await processes.close()
