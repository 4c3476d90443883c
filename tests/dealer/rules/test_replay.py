from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dealer.rules.actions import CALL
from dealer.rules.cards import parse_cards
from dealer.rules.errors import GameError, ReplayError
from dealer.rules.events import (
    Acted,
    BoardDealt,
    Event,
    HandEnded,
    HandStarted,
    Shown,
    event_from_data,
    event_to_data,
)
from dealer.rules.games import holdem
from dealer.rules.hand import HandState, replay
from tests.dealer.rules.play import any_hand, cards, snapshot

seeds = st.integers(0, 10**6)


def muck_of(hand: HandState) -> bool:
    return hand._muck


@given(seeds)
def test_replay_equals_live(seed: int) -> None:
    live = any_hand(seed, finish=seed % 2 == 0)
    again = replay(live.game, live.events, muck=muck_of(live))
    assert again.events == live.events
    assert snapshot(again.betting) == snapshot(live.betting)
    for name in ("number", "seats", "button", "hole", "board", "values", "final_stacks"):
        assert getattr(again, name) == getattr(live, name)


@given(seeds)
def test_events_parse_back(seed: int) -> None:
    for event in any_hand(seed).events:
        data = json.loads(json.dumps(event_to_data(event)))
        back = event_from_data(data)
        assert back == event
        assert type(back) is type(event)
        assert data[0] == event.kind


def finished() -> HandState:
    hand = HandState(holdem(2, 50, 100, stack=1000), cards("AsKd|QcJd", "7h8h9h/Ts/2c"))
    while not hand.over:
        hand.act(CALL)
    return hand


def replaced(index: int, change: Callable[[Event], Event]) -> list[Event]:
    events = list(finished().events)
    events[index] = change(events[index])
    return events


@pytest.mark.parametrize(
    ("index", "fields"),
    [
        (0, {"blinds": (100, 49)}),
        (0, {"antes": (1, 0)}),
        (1, {"paid": 49}),
        (1, {"to": 99}),
        (1, {"all_in": True}),
        (1, {"seat": 0}),
        (12, {"hands": ((0, parse_cards("AsKd")), (1, ()))}),
        (13, {"values": (100, -100)}),
        (13, {"returned": (0, 5)}),
        (13, {"hand": 3}),
    ],
)
def test_the_first_event_that_differs_is_named(index: int, fields: dict[str, object]) -> None:
    events = replaced(index, lambda event: event._replace(**fields))  # type: ignore[arg-type]
    with pytest.raises(ReplayError) as caught:
        replay(finished().game, events)
    assert (caught.value.code, caught.value.index) == ("replay_differs", index)
    assert f"event {index}" in str(caught.value)


def without(*indices: int) -> list[Event]:
    return [event for index, event in enumerate(finished().events) if index not in indices]


@pytest.mark.parametrize(
    ("events", "code", "index"),
    [
        ([], "bad_events", 0),
        (without(0), "bad_events", 0),
        (without(1), "replay_differs", 1),
        (without(12), "replay_differs", 12),
        (without(13), "replay_differs", 13),
        ([*finished().events, Acted(0, "call", 0, 0, all_in=False)], "replay_differs", 14),
        ([*finished().events, finished().events[-1]], "replay_differs", 14),
        ([finished().events[0], Acted(1, "fold", 0, 0, all_in=False)], "replay_differs", 2),
        ([finished().events[0], Acted(1, "raise", 150, 100, all_in=False)], "replay_differs", 1),
        ([finished().events[0], Acted(1, "dance", 150, 100, all_in=False)], "replay_differs", 1),
        ([finished().events[0], *finished().events[1:3]], "card_unknown", 0),
    ],
)
def test_events_that_do_not_follow_are_refused(events: list[Event], code: str, index: int) -> None:
    with pytest.raises(ReplayError) as caught:
        replay(finished().game, events)
    assert (caught.value.code, caught.value.index) == (code, index)


@pytest.mark.parametrize(
    ("index", "fields"),
    [
        (0, {"hole": (parse_cards("AsKd"),)}),
        (0, {"hole": (parse_cards("AsKd"), parse_cards("Qc"))}),
        (0, {"hole": (parse_cards("AsKd"), parse_cards("AsQc"))}),
        (0, {"hole": (parse_cards("AsKd"), (60, 61))}),
        (3, {"cards": parse_cards("7h8h")}),
        (3, {"cards": parse_cards("AsTs2c")}),
        (3, {"street": 9}),
        (6, {"cards": parse_cards("7h")}),
    ],
)
def test_no_card_is_dealt_twice(index: int, fields: dict[str, object]) -> None:
    events = replaced(index, lambda event: event._replace(**fields))  # type: ignore[arg-type]
    with pytest.raises(ReplayError) as caught:
        replay(finished().game, events)
    assert (caught.value.code, caught.value.index) == ("bad_events", index)


@pytest.mark.parametrize(
    ("fields", "code"), [({"stacks": (1000, 0)}, "bad_stacks"), ({"seats": (1, 1)}, "bad_seats")]
)
def test_a_start_that_cannot_be_is_refused(fields: dict[str, object], code: str) -> None:
    events = replaced(0, lambda event: event._replace(**fields))  # type: ignore[arg-type]
    with pytest.raises(GameError) as caught:
        replay(finished().game, events)
    assert caught.value.code == code


def test_an_unfinished_hand_is_played_on() -> None:
    whole = finished()
    deal = cards("AsKd|QcJd", "7h8h9h/Ts/2c")
    again = replay(whole.game, whole.events[:4], cards=deal)
    assert again.board == parse_cards("7h8h9h")
    while not again.over:
        again.act(CALL)
    assert again.events == whole.events


def test_the_table_must_say_whether_hands_are_mucked() -> None:
    hand = HandState(holdem(2, 50, 100, stack=1000), cards("QcJd|AsKd", "7h8h9h/Ts/2c"), muck=True)
    while not hand.over:
        hand.act(CALL)
    assert replay(hand.game, hand.events, muck=True).events == hand.events
    with pytest.raises(ReplayError) as caught:
        replay(hand.game, hand.events)
    assert isinstance(hand.events[caught.value.index], Shown)


@pytest.mark.parametrize(
    "data",
    [
        [],
        ["none"],
        [None],
        [["acted"]],
        ["acted"],
        ["acted", 0, "call", 0],
        ["acted", True, "call", 0, 0, False, ""],
        ["acted", "0", "call", 0, 0, False, ""],
        ["acted", 0, "call", 0, 0, 0, ""],
        ["acted", 0, "call", 0, 0.0, False, ""],
        ["hand_ended", 0, None, [], [float("nan")], [0]],
        ["hand_ended", 0, [0, 0, 0], [], [0], [0]],
        ("acted", 0, "call", 0, 0, False, ""),
        {},
        7,
        ["acted", 0, "call", 0, 0, False, "", "more"],
        ["board_dealt", 1, "7h8"],
        ["board_dealt", 1, "7h7h7h"],
        ["board_dealt", 1, ["7h"]],
        ["shown", [[0]]],
        ["shown", 7],
        ["hand_started", 0],
        ["hand_started", 0, [0, 1], 1, [9, 9], [0, 0], [1, 2], ["AhKh", 7]],
        ["hand_ended", 0, None, [[1, 2]], [0], [0]],
        ["hand_ended", 0, None, 7, [0], [0]],
    ],
)
def test_other_data_is_no_event(data: object) -> None:
    with pytest.raises(ReplayError) as caught:
        event_from_data(data)
    assert caught.value.code == "bad_events"


def test_deep_data_is_no_event() -> None:
    deep: list[object] = []
    for _ in range(100_000):
        deep = [deep]
    with pytest.raises(ReplayError):
        event_from_data(["hand_ended", 0, None, deep, [0], [0]])


json_values = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), st.text(max_size=4)),
    lambda inner: st.lists(inner, max_size=5),
    max_leaves=12,
)


@given(
    st.sampled_from(["hand_started", "board_dealt", "acted", "shown", "hand_ended"]), st.lists(json_values)
)
def test_any_data_is_an_event_or_refused(kind: str, fields: list[object]) -> None:
    data = [kind, *fields]
    try:
        event = event_from_data(data)
    except ReplayError:
        return
    assert isinstance(event, HandStarted | BoardDealt | Acted | Shown | HandEnded)
    assert event_to_data(event) == data
