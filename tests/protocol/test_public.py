"""The public events: nothing secret has a place in them, and every id is a topic of its own."""

from __future__ import annotations

from typing import get_args
from urllib.parse import unquote

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import inspect

from protocol import public
from protocol.public import (
    CompetitionStandings,
    PublicEvent,
    TableList,
    TableStandings,
    decode,
    encode,
    is_retained,
    topic_of,
)
from tests.protocol.generate import messages

EVENTS = get_args(PublicEvent)


def text_lists(kind: inspect.Type, path: str = "") -> set[str]:
    """Where an event has a list of texts: the only shape that cards have anywhere in pokerd."""
    match kind:
        case inspect.StructType(cls=cls, fields=fields):
            return {
                found for field in fields for found in text_lists(field.type, f"{cls.__name__}.{field.name}")
            }
        case inspect.UnionType(types=types):
            return {found for one in types for found in text_lists(one, path)}
        case inspect.TupleType(item_types=types):
            return {found for one in types for found in text_lists(one, path)}
        case inspect.VarTupleType(item_type=item) | inspect.ListType(item_type=item):
            return {path} if isinstance(item, inspect.StrType) else text_lists(item, path)
    return set()


def test_the_only_cards_are_those_of_the_board_and_those_that_were_shown() -> None:
    found = {place for event in EVENTS for place in text_lists(inspect.type_info(event))}
    assert found == {"BettingRound.cards", "FinishedHand.second", "ShownCards.cards"}
    holders = {event for event in EVENTS for name in text_lists(inspect.type_info(event)) if "Shown" in name}
    assert holders == {public.FinishedHand}


def test_no_field_is_open_to_everything() -> None:
    """No field may hold any object, a map, or bytes: what is told is what the types say."""

    def closed(kind: inspect.Type) -> bool:
        match kind:
            case inspect.StructType(fields=fields):
                return all(closed(field.type) for field in fields)
            case inspect.UnionType(types=types) | inspect.TupleType(item_types=types):
                return all(map(closed, types))
            case inspect.VarTupleType(item_type=item) | inspect.ListType(item_type=item):
                return closed(item)
        plain = (inspect.IntType, inspect.FloatType, inspect.StrType, inspect.BoolType, inspect.NoneType)
        return isinstance(kind, (*plain, inspect.LiteralType))

    for event in EVENTS:
        assert closed(inspect.type_info(event)), event


texts = st.text(st.characters(exclude_categories=["Cs"]), min_size=1)


@given(st.data(), st.sampled_from(EVENTS))
def test_every_event_comes_back_from_json(data: st.DataObject, kind: type[msgspec.Struct]) -> None:
    event = data.draw(messages(kind))
    payload = encode(event)
    assert decode(payload) == event
    assert msgspec.json.decode(payload)["type"] == kind.__struct_config__.tag


@pytest.mark.parametrize("payload", [b"", b"{}", b'{"type":"hole"}', b'{"type":"hand","table":"t"}', b"[]"])
def test_what_is_no_event_is_refused(payload: bytes) -> None:
    with pytest.raises(msgspec.DecodeError):
        decode(payload)


@given(texts)
def test_an_id_is_one_level_of_a_topic_whatever_is_in_it(table: str) -> None:
    topic = topic_of(TableStandings(table=table, players=()))
    levels = topic.split("/")
    assert levels[:3] == ["pokerd", "v1", "tables"]
    assert levels[4:] == ["standings"]
    assert levels[3].isascii()
    assert not set(levels[3]) & set("+#$\0 ")
    assert unquote(levels[3]) == table


def test_only_hands_are_no_states() -> None:
    hand = public.FinishedHand(table="t", hand=1, button=0, players=(), streets=(), pots=())
    assert not is_retained(hand)
    assert is_retained(TableList(tables=()))
    assert is_retained(CompetitionStandings(competition="c", final=True, divisions=()))
