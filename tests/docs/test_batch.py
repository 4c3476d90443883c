"""``docs/batch.md`` against the messages, rows, codes and options of the program."""

from __future__ import annotations

import json
import re

import msgspec

from protocol.batch import Open, Opened
from protocol.errors import CODES
from strategy.batch.opponents import QUICK
from strategy.batch.wire import REFUSALS, row_type
from tests.docs.fields import documented, fields_of, ordered, tag
from tests.docs.made import MADE
from tests.docs.pages import BATCH, blocks, code, json_texts, prose, section


def test_the_layout_is_that_of_the_code() -> None:
    (made,) = [made for made in MADE if made.page == BATCH]
    assert [block.text for block in blocks(BATCH, "layout")] == [made.make()]


def test_every_field_is_documented_and_no_other() -> None:
    fields = [field for cls in (Open, Opened) for field in fields_of(tag(cls), cls, {})]
    assert ordered(list(documented(section(BATCH, "## Opening")))) == ordered(fields)


def test_the_examples_decode() -> None:
    asked, opened = json_texts(BATCH)
    assert msgspec.json.decode(asked, type=Open) == Open("holdem.limit.2p.reverse_blinds", ["quick"])
    answer = msgspec.json.decode(opened, type=Opened)
    assert answer.row == row_type(len(answer.names), answer.history).itemsize
    assert json.loads(opened)["type"] == "opened"


def test_codes_are_those_of_the_protocol() -> None:
    fields = {name for cls in (Open, Opened) for name in cls.__struct_fields__}
    fields |= {
        *(row_type(2, 1).names or ()),
        "open",
        "opened",
        "hello",
        "welcome",
        "numpy",
        "websockets",
        "false",
        "null",
    }
    named = {name for name in code(prose(BATCH)) if name.islower() and name.isidentifier()}
    assert {*REFUSALS.values(), "bad_table", "server_full", "too_late"} <= named
    assert named - fields - set(CODES) <= set(QUICK)


def test_the_page_is_short_and_so_is_the_example() -> None:
    assert len(re.findall(r"\S*\w\S*", prose(BATCH))) <= 900
    example = (BATCH.parents[1] / "clients" / "examples" / "batch_bot.py").read_text("utf-8")
    assert len(example.splitlines()) <= 60
    imports = set(re.findall(r"^(?:from|import) (\w+)", example, re.MULTILINE))
    assert imports == {"json", "os", "sys", "time", "typing", "numpy", "websockets"}
