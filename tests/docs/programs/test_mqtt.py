"""``docs/mqtt.md`` against the public events, topics and figures of the program, and a real broker."""

from __future__ import annotations

import json
import re
from typing import Any, get_args

import pytest

from protocol import messages, public
from protocol.public import PublicEvent, decode, encode, is_retained, topic_of
from server.public import mqtt
from tests.docs.fields import documented, fields_of, ordered, tag
from tests.docs.pages import MQTT, ROOT, blocks, code, json_texts, prose, rows, section

EVENTS = get_args(PublicEvent)
#: What the page calls the objects inside events.
OBJECTS = {
    "table": public.TableInfo,
    "seated": public.SeatedPlayer,
    "winnings": public.Winnings,
    "player": public.HandPlayer,
    "street": public.BettingRound,
    "move": public.Move,
    "shown hand": public.ShownCards,
    "pot": messages.PotInfo,
    "division": public.DivisionProgress,
    "ranking": public.DivisionStandings,
    "place": public.RankedBot,
}
NAMES: dict[type, str] = {cls: name for name, cls in OBJECTS.items()}
EXAMPLES = json_texts(MQTT)


def test_every_field_of_every_event_and_object_is_documented_and_no_other() -> None:
    told = documented(section(MQTT, "## Events"))
    known = [field for cls in EVENTS for field in fields_of(tag(cls), cls, NAMES)]
    known += [field for name, cls in OBJECTS.items() for field in fields_of(name, cls, NAMES)]
    assert ordered(told) == ordered(known)


def test_every_event_has_an_example() -> None:
    assert {json.loads(line)["type"] for line in EXAMPLES} == {tag(cls) for cls in EVENTS}


@pytest.mark.parametrize("line", EXAMPLES, ids=lambda line: line[:40])
def test_every_example_is_what_the_program_would_publish(line: str) -> None:
    assert json.loads(encode(decode(line))) == json.loads(line)


def test_the_sentences_are_those_of_the_spectator_for_the_example() -> None:
    space: dict[str, Any] = {"__name__": "spectator"}
    source = (ROOT / "clients" / "examples" / "mqtt_spectator.py").read_text("utf-8")
    exec(compile(source, "mqtt_spectator.py", "exec"), space)
    hand = next(data for data in map(json.loads, EXAMPLES) if data["type"] == "hand")
    (shown,) = [block.text for block in blocks(MQTT, "text") if "before the flop" in block.text]
    assert "\n".join(space["lines_of"](hand)) + "\n" == shown


def test_topics_retaining_qos_and_expiry_are_as_told() -> None:
    told = {}
    for topic, event, retained, qos, expiry in rows(section(MQTT, "## Topics")):
        told[code(event)[0]] = (code(topic)[0], retained, qos, expiry)
    assert set(told) == {tag(cls) for cls in EVENTS}
    for sample in map(decode, EXAMPLES):
        topic, retained, qos, expiry = told[tag(type(sample))]
        pattern = re.escape(topic).replace("TABLE", "[^/]+").replace("NAME", "[^/]+").replace("NODE", "[^/]+")
        assert re.fullmatch(pattern, topic_of(sample)), topic
        state = is_retained(sample)
        assert (retained, qos) == (("yes", "1") if state else ("no", "0"))
        seconds = mqtt.EXPIRY.get(type(sample))
        assert expiry == ("" if seconds is None else f"{seconds} s")
    (example,) = re.findall(r"`(pokerd/v1/tables/\S+%2F\S+)`", prose(MQTT))
    hand = public.FinishedHand(table="duel/m0000-l000-s0", hand=0, button=0, players=(), streets=(), pots=())
    assert topic_of(hand) == example


def test_the_page_names_no_event_or_field_that_does_not_exist() -> None:
    fields = {field.field for name, cls in OBJECTS.items() for field in fields_of(name, cls, NAMES)}
    fields |= {field.field for cls in EVENTS for field in fields_of("", cls, NAMES)}
    values = {"online", "offline", "fold", "call", "raise", "timeout", "absent", "acpc", "null", "false"}
    others = {"type", "serve", "compete", "mosquitto", "hand_start"}
    known = fields | {tag(cls) for cls in EVENTS} | values | others
    words = {word for word in code(prose(MQTT)) if word.isidentifier() and word.islower()}
    assert words <= known
