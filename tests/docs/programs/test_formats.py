"""``docs/formats.md`` against the formats, the examples and the codes."""

from __future__ import annotations

import io
import re
from pathlib import Path

import pytest

from dealer.records.convert import FORMATS
from server.commands import convert
from tests.dealer.records.tables import normal
from tests.docs.made import example_hand
from tests.docs.pages import FORMATS_PAGE, ROOT, blocks, code, read, rows, section


def test_every_format_and_suffix_is_told_and_no_other() -> None:
    table, *_ = re.split(r"^#", read(FORMATS_PAGE).partition("\n## ")[0], flags=re.MULTILINE)[1:]
    told = {name: code(suffixes) for names, suffixes, _ in rows(table) for name in code(names)}
    # Two names in a row: each with its own suffix.
    told |= {name: [f".{name}"] for name in ("phh", "phhs") if f".{name}" in told[name]}
    assert told == {one.name: list(one.suffixes) for one in FORMATS.values()}


@pytest.mark.parametrize("name", ["acpc", "phhs", "ohh", "pokerstars", "journal"])
def test_the_examples_are_the_same_hand(name: str) -> None:
    (block,) = blocks(FORMATS_PAGE, name)
    (record,) = FORMATS[name].read(io.StringIO(block.text), None)
    assert normal(record) == normal(example_hand())


def raised() -> set[str]:
    """Codes of ``RecordError`` in the modules that read and write records."""
    found: set[str] = set()
    for path in (*(ROOT / "dealer" / "records").glob("*.py"), Path(convert.__file__)):
        text = path.read_text("utf-8")
        found |= set(re.findall(r'RecordError\(\s*"([a-z_0-9]+)"', text))
        found |= set(re.findall(r'^_ERROR_CODE = "([a-z_]+)"', text, re.MULTILINE))
        found |= set(re.findall(r'code = "([a-z_]+)" if', text))
    return found


def test_every_code_is_told_and_no_other() -> None:
    lost = section(FORMATS_PAGE, "## What is lost")
    told = {name for first, *_ in rows(section(FORMATS_PAGE, "## Codes")) for name in code(first)}
    told |= {
        name for *_, refused in rows(lost) for name in code(refused) if re.match("not_in_|bad_name", name)
    }
    of_the_rules = {"bad_card", "duplicate_card", "bad_events", "card_unknown"}
    assert of_the_rules <= told
    assert told - of_the_rules == raised()
