"""Open Hand History files keep to the specification, of which the schema is our own reading."""

from __future__ import annotations

import io
import json
import random
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from dealer.errors import RecordError
from dealer.records.hands import HandMetadata, HandRecord
from dealer.records.ohh import write_ohh
from dealer.records.ohh_read import read_ohh
from dealer.rules.events import Shown
from dealer.rules.games import load_game
from tests.dealer.records.played import random_hand
from tests.dealer.records.tables import normal, random_records

SCHEMA = json.loads(
    (Path(__file__).resolve().parents[1] / "data" / "ohh-1.4.7.schema.json").read_text("utf-8")
)
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)


def hands(count: int, seed: int = 1) -> list[tuple[HandRecord, str]]:
    told = []
    for record in random_records(random.Random(seed), count):
        try:
            told.append((record, "".join(write_ohh([record]))))
        except RecordError:
            continue
    return told


def test_every_hand_keeps_to_the_specification() -> None:
    VALIDATOR.check_schema(SCHEMA)
    for _, text in hands(300):
        VALIDATOR.validate(json.loads(text))


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (["ohh", "pots"], None),
        (["ohh", "rounds", 0, "street"], "Flop"),
        (["ohh", "rounds", 0, "actions", -1, "action"], "Bet"),
        (["ohh", "rounds", 0, "actions", 0, "amount"], "5"),
        (["ohh", "players", 0, "seat"], 0),
        (["ohh", "spec_version"], "1"),
        (["ohh", "bet_limit", "bet_type"], "XL"),
    ],
)
def test_the_schema_refuses_what_the_specification_does(path: list[Any], value: object) -> None:
    data = json.loads(hands(1)[0][1])
    node = data
    for key in path[:-1]:
        node = node[key]
    node[path[-1]] = value
    with pytest.raises(jsonschema.ValidationError):
        VALIDATOR.validate(data)


def test_chips_of_the_pots_are_those_that_were_put_in() -> None:
    for record, text in hands(200):
        ohh = json.loads(text)["ohh"]
        put_in = sum(action.get("amount", 0) for one in ohh["rounds"] for action in one["actions"])
        returned = record.ended.returned
        assert sum(pot["amount"] for pot in ohh["pots"]) == put_in - (returned[1] if returned else 0)
        for pot in ohh["pots"]:
            assert sum(win["win_amount"] for win in pot["player_wins"]) == pytest.approx(pot["amount"])


def test_files_hold_hands_between_empty_lines_and_arrays_are_read_too() -> None:
    told = hands(40)
    text = "".join(text for _, text in told)
    assert text.count("\n\n") == len(told)
    values = [json.loads(text) for _, text in told]
    layouts = (
        text,
        json.dumps(values),
        json.dumps(values, indent=2),
        "\n".join(json.dumps(value) for value in values),
        "\r\n\r\n".join(json.dumps(value, indent=1) for value in values),
    )
    for layout in layouts:
        back = list(read_ohh(io.StringIO(layout)))
        assert [normal(record) for record in back] == [normal(record) for record, _ in told]


def test_what_may_be_left_out_or_added_is() -> None:
    (record, text), *_ = hands(1)
    data = json.loads(text)
    for key in ("hero_player_id", "flags", "tournament", "table_name", "site_name", "start_date_utc"):
        data["ohh"].pop(key)
    data["ohh"]["players"].append(
        {"id": 99, "seat": 11, "name": "out", "starting_stack": 5, "is_sitting_out": True}
    )
    data["id"] = "of another program"
    (back,) = read_ohh(io.StringIO(json.dumps(data)))
    assert back.ended == record.ended


def test_a_hand_that_is_told_to_one_of_its_players() -> None:
    """With his cards and those that were shown, and no others."""
    kinds = set()
    for record, _ in hands(100, seed=32):
        started = record.started
        shows = [event for event in record.events if isinstance(event, Shown)]
        shown = {seat for event in shows for seat, cards in event.hands if cards}
        told = {started.seats[1], *shown}
        by_position = zip(started.seats, started.hole, strict=True)
        hole = tuple([cards if seat in told else () for seat, cards in by_position])
        meta = HandMetadata(
            id="t.1.2", time=datetime(2026, 11, 22, 2, 1, 1, tzinfo=UTC), hero=started.seats[1]
        )
        hidden = record._replace(events=[started._replace(hole=hole), *record.events[1:]], meta=meta)
        data = json.loads("".join(write_ohh([hidden])))
        VALIDATOR.validate(data)
        ohh = data["ohh"]
        assert (ohh["game_number"], ohh["start_date_utc"]) == ("t.1.2", "2026-11-22T02:01:01Z")
        assert ohh["hero_player_id"] == started.seats[1] + 1
        actions = [action for one in ohh["rounds"] for action in one["actions"]]
        dealt = [action["player_id"] - 1 for action in actions if action["action"] == "Dealt Cards"]
        assert set(dealt) == told
        for action in actions:
            if action["player_id"] - 1 not in told:
                assert not action.get("cards")
        kinds |= {action["action"] for action in actions}
    assert {"Shows Cards", "Mucks Cards"} <= kinds


def test_other_games_cannot_be_told() -> None:
    hand = random_hand(load_game("leduc.limit.2p"), random.Random(1))
    with pytest.raises(RecordError) as refused:
        "".join(write_ohh([HandRecord(hand.game, hand.events, {0: "a", 1: "b"})]))
    assert refused.value.code == "not_in_ohh"
