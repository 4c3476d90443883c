"""``docs/competition.md`` against the competition file, the directory of results and the codes of the program."""

from __future__ import annotations

import inspect
import json
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import msgspec
import pytest
from msgspec import inspect as shapes

from dealer import errors as dealer_errors
from dealer.match import MatchError
from dealer.records.journal import FORMAT, hand_line, read_journal
from dealer.rules.games import Game, load_game, parse_game
from dealer.rules.hand import replay
from protocol.errors import CODES
from server import competition_file, results, store
from server.competition_file import CompetitionError, parse_competition
from server.managed import Processes
from server.verify import Difference
from tests.docs.pages import COMPETITION, PAGES, README, blocks, code, rows, section
from tests.docs.workspace import environment, lay

KINDS = {
    "## The file": competition_file.CompetitionEntry,
    "### `[time]`": competition_file.TimeEntry,
    "### `[[bots]]`": competition_file.BotEntry,
    "### `[[divisions]]`": competition_file.DivisionEntry,
    "### `[divisions.table]`": competition_file.TableEntry,
}
#: What the page says of a default that the program expresses by its absence.
ABSENT = {"none", "drawn", "all", "the game file's"}


def type_text(kind: shapes.Type) -> str:
    """A key's type in the words of the page."""
    match kind:
        case shapes.IntType(ge=least, le=None):
            return f"int, from {least}"
        case shapes.IntType(ge=None):
            return "int"
        case shapes.IntType(ge=least, le=most):
            return f"int, {least} to {most}"
        case shapes.StrType():
            return "text"
        case shapes.BoolType():
            return "bool"
        case shapes.LiteralType(values=values):
            return ", ".join(f'`"{value}"`' for value in values)
        case shapes.UnionType(types=types):
            return " or ".join(type_text(one) for one in reversed(types) if not isinstance(one, shapes.NoneType))
        case shapes.StructType():
            return "table"
        case shapes.ListType(item_type=shapes.StructType()):
            return "tables"
        case shapes.ListType(item_type=shapes.TupleType()):
            return "[[small, big, ante, hands], ...]"
        case shapes.ListType(item_type=item):
            return f"[{type_text(item)}, ...]"
    raise AssertionError(kind)


def own_rows(heading: str) -> list[list[str]]:
    """The rows under a heading, without those of its subsections."""
    return list(rows(re.split(r"^#", section(COMPETITION, heading), flags=re.MULTILINE)[0]))


@pytest.mark.parametrize("heading", KINDS)
def test_every_key_is_told_with_type_and_default_and_no_other(heading: str) -> None:
    struct = shapes.type_info(KINDS[heading])
    assert isinstance(struct, shapes.StructType)
    told = {code(key)[0]: (kind, default) for key, kind, default, _ in own_rows(heading)}
    assert list(told) == [field.name for field in struct.fields] or set(told) == {
        field.name for field in struct.fields
    }
    for field in struct.fields:
        kind, default = told[field.name]
        assert kind == type_text(field.type), field.name
        if field.required:
            assert default == "", field.name
        elif field.default is None:
            assert default in ABSENT, field.name
        elif isinstance(field.default, msgspec.Struct):
            assert default == "", field.name
        else:
            value = [] if field.default is msgspec.NODEFAULT else field.default
            assert default == f"`{json.dumps(value)}`", field.name


def test_every_toml_block_is_a_competition() -> None:
    found = [block for page in (README, COMPETITION) for block in blocks(page, "toml")]
    assert len(found) == 2
    for block in found:
        assert parse_competition(block.text).sessions, block.name


# Codes.


def codes_in(*docs: object) -> set[str]:
    """The codes that docstrings name."""
    return {word for doc in docs for word in re.findall(r"``([a-z_]+)``", inspect.getdoc(doc) or "")}


def test_every_code_of_a_refused_file_is_told() -> None:
    told = {name for first, *_ in rows(section(COMPETITION, "### When a file is refused")) for name in code(first)}
    # Codes of the plan that the file's own checks keep from being reached.
    unreachable = {"bad_count", "bad_table_size", "bad_seatings"}
    raised = codes_in(CompetitionError, MatchError) - unreachable
    games = {word for word in codes_in(Game, parse_game, load_game) if word.startswith(_GAME_CODES)}
    assert told == raised | games | {"out_exists"}


_GAME_CODES = ("bad_", "board_before", "all_in_from", "missing_", "too_few_n", "unknown_g", "unreadable_g")


@pytest.mark.parametrize(
    ("code_name", "text"),
    [
        ("not_toml", "name = "),
        ("bad_field", 'name = "x"'),
        ("bad_field", "GOOD\ncolour = 1"),
        ("unknown_bot", 'GOOD\n[[divisions]]\nname = "e"\ngame = "kuhn.limit.2p"\nbots = ["a", "z"]'),
        ("duplicate_name", 'GOOD\n[[divisions]]\nname = "d"\ngame = "kuhn.limit.2p"'),
        ("bad_name", 'GOOD\n[[divisions]]\nname = "d/e"\ngame = "kuhn.limit.2p"'),
        ("too_few_bots", 'GOOD\n[[divisions]]\nname = "e"\ngame = "kuhn.limit.3p"'),
        ("too_many_sessions", 'GOOD\n[[divisions]]\nname = "e"\ngame = "kuhn.limit.2p"\nmatches = 1000000'),
        ("unknown_game", 'GOOD\n[[divisions]]\nname = "e"\ngame = "bridge"'),
        ("bad_blinds", 'GOOD\n[[divisions]]\nname = "e"\ntable = { mode = "cash", players = 2, stack = 5 }'),
        ("bad_seed", 'seed = "x"\ndeck = "acpc"\nGOOD'),
    ],
)
def test_the_codes_are_given_as_told(code_name: str, text: str) -> None:
    good = (
        'name = "x"\nbots = [{ name = "a", run = "call" }, { name = "b", token = "t" }]\n'
        '[[divisions]]\nname = "d"\ngame = "kuhn.limit.2p"\n'
    )
    if text.endswith("colour = 1"):
        text = "colour = 1\nGOOD"
    with pytest.raises(CompetitionError) as refusal:
        parse_competition(text.replace("GOOD", good))
    assert refusal.value.code == code_name


def test_the_codes_of_a_directory_are_told() -> None:
    told = {code(first)[0] for first, *_ in rows(section(COMPETITION, "## verify"))}
    assert told | {"out_exists"} == codes_in(store.StoreError) | {Difference.code}


def test_no_code_of_the_dealer_is_forgotten() -> None:
    known = codes_in(dealer_errors.MatchError) | codes_in(dealer_errors.DeckError)
    page = COMPETITION.read_text("utf-8")
    inside = {"bad_count", "bad_table_size", "bad_seatings", "bad_match", "bad_hand", "bad_deal"}
    missing = {name for name in known - inside if f"`{name}`" not in page}
    assert missing == {"commitment_mismatch"}  # verify tells it as a difference


def test_every_kind_of_incident_is_told() -> None:
    told = {name for first, *_ in rows(section(COMPETITION, "### incidents.json")) for name in code(first)}
    assert told == set(results._KNOWN)
    assert not told & set(CODES)


# How bots are started.


async def test_a_managed_bot_gets_the_variables_that_are_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, no_process_left: None
) -> None:
    for name in [name for name in environment() if name.startswith("POKERD_")]:
        monkeypatch.delenv(name, raising=False)
    told = {code(first)[0] for first, *_ in rows(section(COMPETITION, "## How bots are started"))}
    competition = parse_competition(blocks(COMPETITION, "toml")[0].text)
    runner = _module_runner(competition, tmp_path)
    assert told == runner


def _module_runner(competition: competition_file.Competition, tmp_path: Path) -> set[str]:
    return set()


# Results.
