"""``docs/competition.md`` against the competition file, the directory of results and the codes."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec import inspect as shapes

from dealer import errors as dealer_errors
from dealer.errors import MatchError
from dealer.records.journal import FORMAT, hand_line, read_journal
from dealer.rules.events import _READERS
from dealer.rules.games import Game, load_game, parse_game
from dealer.rules.hand import replay
from pokerd import compiled
from protocol.errors import CODES
from server.bots import sandbox
from server.competition import schema as competition_entry
from server.competition import store
from server.competition.file import CompetitionError, parse_competition
from server.competition.verify import Difference
from server.storage import sqlite as state_file
from server.telemetry.incidents import FORCED_INCIDENTS, REPORTED_IF_ANY, Incident
from tests.conftest import MARK
from tests.docs.kinds import kind_text
from tests.docs.pages import COMPETITION, README, blocks, code, rows, section
from tests.docs.workspace import environment, lay

KINDS = {
    "## The file": competition_entry.CompetitionEntry,
    "### `[time]`": competition_entry.TimeEntry,
    "### `[limits]`": sandbox.Limits,
    "### `[[bots]]`": competition_entry.BotEntry,
    "### `[[divisions]]`": competition_entry.DivisionEntry,
    "### `[divisions.table]`": competition_entry.DivisionTableEntry,
}


def key_text(kind: shapes.Type) -> str:
    """The type of a key in the words of the page."""
    if isinstance(kind, shapes.UnionType):  # TOML has no null: such a key is left out
        given = [key_text(one) for one in kind.types if not isinstance(one, shapes.NoneType)]
        return " or ".join(given)
    if isinstance(kind, shapes.ListType) and isinstance(kind.item_type, shapes.TupleType):
        return "[[small, big, ante, hands], ...]"
    text = kind_text(kind, dict.fromkeys(KINDS.values(), "table"))
    return re.sub(r"int, (\d+) to (\d+)", "int \\1\N{EN DASH}\\2", text)


def own_rows(heading: str) -> list[list[str]]:
    """The rows under a heading, without those of its subsections."""
    return list(rows(re.split(r"^#", section(COMPETITION, heading), flags=re.MULTILINE)[0]))


@pytest.mark.parametrize("heading", KINDS)
def test_every_key_is_told_with_type_and_default_and_no_other(heading: str) -> None:
    struct = shapes.type_info(KINDS[heading])
    assert isinstance(struct, shapes.StructType)
    told = {code(key)[0]: (kind, default) for key, kind, default, _ in own_rows(heading)}
    assert set(told) == {field.name for field in struct.fields}
    for field in struct.fields:
        kind, default = told[field.name]
        assert kind == key_text(field.type), field.name
        if field.required:
            assert default == "", field.name
        elif field.default is None:
            # Words, for what the program expresses by its absence.
            assert default, field.name
            assert not code(default), field.name
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


def codes_in(*documented: type | Callable[..., Any]) -> set[str]:
    """The codes that docstrings name: those in the sources, as compiled code has none."""
    found = set()
    for one in documented:
        tree = ast.parse(compiled.source(one.__module__).read_text("utf-8"))
        (node,) = (
            node
            for node in tree.body
            if isinstance(node, (ast.ClassDef, ast.FunctionDef)) and node.name == one.__name__
        )
        found.update(re.findall(r"``([a-z_]+)``", ast.get_docstring(node) or ""))
    return found


def test_every_code_of_a_refused_file_is_told() -> None:
    text = section(COMPETITION, "### When a file is refused")
    told = {name for first, *_ in rows(text) for name in code(first)}
    # Codes of the plan that the file's own checks keep from being reached.
    unreachable = {"bad_count", "bad_table_size", "bad_seatings"}
    raised = codes_in(CompetitionError, MatchError) - unreachable
    games = {word for word in codes_in(Game, parse_game, load_game) if word.startswith(_GAME_CODES)}
    assert told == raised | games | {"out_exists", sandbox.SandboxError.code}


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
        'name = "x"\nbots = [{ name = "a", run = "call" }, { name = "b", token = "tokentoken" }]\n'
        '[[divisions]]\nname = "d"\ngame = "kuhn.limit.2p"\n'
    )
    if text.endswith("colour = 1"):
        text = "colour = 1\nGOOD"
    with pytest.raises(CompetitionError) as refusal:
        parse_competition(text.replace("GOOD", good))
    assert refusal.value.code == code_name


def test_the_codes_of_a_directory_are_told() -> None:
    told = {code(first)[0] for first, *_ in rows(section(COMPETITION, "## verify"))}
    told |= {code(first)[0] for first, *_ in rows(section(COMPETITION, "### Extending"))}
    raised = codes_in(store.StoreError) | codes_in(state_file.StateError)
    assert told | {"out_exists"} == raised | {Difference.code}


def test_the_tables_of_the_state_are_told() -> None:
    text = section(COMPETITION, "### What can be lost")
    told = {code(first)[0]: code(what) for first, what in rows(text) if first.startswith("`")}
    tables = dict(
        re.findall(r"CREATE TABLE (\w+) \((.*?)\);", "".join(state_file.STATE_MIGRATIONS), re.DOTALL)
    )
    assert set(told) == set(tables)
    for name in ("attempts", "hands", "connections"):
        columns = set(re.findall(r"(\w+) (?:TEXT|INTEGER)", tables[name]))
        assert columns - set(told[name]) <= {"attempt", "incidents"}, name


def test_no_code_of_the_dealer_is_forgotten() -> None:
    known = codes_in(dealer_errors.MatchError) | codes_in(dealer_errors.DeckError)
    page = COMPETITION.read_text("utf-8")
    inside = {"bad_count", "bad_table_size", "bad_seatings", "bad_match", "bad_hand", "bad_deal"}
    missing = {name for name in known - inside if f"`{name}`" not in page}
    assert missing == {"commitment_mismatch"}  # verify tells it as a difference


def test_every_kind_of_incident_is_told() -> None:
    text = section(COMPETITION, "### incidents.json")
    told = {name: source for first, source, _ in rows(text) for name in code(first)}
    assert set(told) == set(Incident)
    assert not set(told) & set(CODES)
    forced = {told[name] for name in FORCED_INCIDENTS}
    assert {name for name, source in told.items() if source in forced} == FORCED_INCIDENTS
    assert set(told) & set(code(section(COMPETITION, "### standings.json"))) == set(REPORTED_IF_ANY)


# A competition is played, and its directory compared with what is told.

SPY = """
import os
for name, value in os.environ.items():
    if name.startswith("POKERD_"):
        print(f"{name}={value}")
"""
SMALL = """
name = "small"
seed = "small"
time = { start_ms = 5000 }
bots = [
    { name = "call", run = "call" },
    { name = "raise", run = "raise" },
    { name = "spy", command = ["{python}", "spy.py"] },
]
[[divisions]]
name = "kuhn"
game = "kuhn.limit.3p"
hands = 4
seatings = "rotations"

[[divisions]]
name = "cup"
bots = ["call", "raise"]
table = { mode = "tournament", players = 2, levels = [[5, 10, 0, 2], [50, 100, 10, 2], [400, 800, 0, 2]] }
"""


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = lay(tmp_path_factory.mktemp("competition"))
    (place / "small.toml").write_text(SMALL, encoding="utf-8")
    (place / "spy.py").write_text(SPY, encoding="utf-8")
    command = [sys.executable, "-m", "pokerd", "compete", "small.toml"]
    done = subprocess.run(
        command, check=False, cwd=place, env=environment(), stdout=subprocess.DEVNULL, timeout=120
    )
    assert done.returncode == 4  # the spy does not play
    return place / "results" / "small"


def load(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def test_a_managed_bot_gets_the_variables_that_are_told(played: Path) -> None:
    told = {code(first)[0]: value for first, value in rows(section(COMPETITION, "## How bots are started"))}
    (log, *_) = sorted((played / "logs" / "bots").glob("*.spy.log"))
    given = dict(line.split("=", 1) for line in log.read_text("utf-8").splitlines())
    given.pop(MARK, None)
    assert set(given) == set(told)
    assert given["POKERD_NAME"] == "spy"
    assert given["POKERD_MANAGED"] == code(told["POKERD_MANAGED"])[0]
    assert re.fullmatch(r"ws://127\.0\.0\.1:\d+", given["POKERD_URL"])


def test_the_directory_holds_the_files_that_are_told_and_no_other(played: Path) -> None:
    told = [name for first, *_ in rows(section(COMPETITION, "## The results")) for name in code(first)]
    told = told[: told.index("logs/bots/") + 1]
    patterns = {
        name: re.compile(
            re.escape(name).replace("DIVISION", "(kuhn|cup)").replace("SESSION", r"m\d{4}-l\d{3}-s\d")
            + (".*" if name.endswith("/") else "")
        )
        for name in told
    }
    there = [path.relative_to(played).as_posix() for path in played.rglob("*") if path.is_file()]
    for path in there:
        assert any(pattern.fullmatch(path) for pattern in patterns.values()), path
    for name, pattern in patterns.items():
        assert any(pattern.fullmatch(path) for path in there), name


def test_the_journal_is_what_is_told(played: Path) -> None:
    text = section(COMPETITION, "### Journal")
    for path in sorted(played.glob("hands/*/*.jsonl")):
        lines = path.read_text("utf-8").splitlines()
        header = json.loads(lines[0])
        assert {f'"{FORMAT}"', *header} <= set(code(text))
        kinds = {event[0] for line in lines[1:] for event in json.loads(line)}
        assert kinds <= {code(first)[0] for first, _ in rows(text)}


def test_the_journal_s_example_is_a_hand_that_could_be_played() -> None:
    (block,) = [block for block in blocks(COMPETITION, "json") if "hand_started" in block.text]
    facts, hands = read_journal(
        [json.dumps({"format": FORMAT}) + "\n", *block.text.splitlines(keepends=True)]
    )
    (events,) = hands
    assert facts == {}
    assert hand_line(events) == block.text
    assert replay(load_game("holdem.nolimit.2p.reverse_blinds"), events).over
    told = {code(first)[0] for first, _ in rows(section(COMPETITION, "### Journal"))}
    assert told == set(_READERS)


def test_the_standings_have_the_keys_that_are_told(played: Path) -> None:
    text = section(COMPETITION, "### standings.json")
    standings = load(played / "standings.json")
    assert set(standings) <= set(code(text))
    told: dict[str, set[str]] = {}
    names: list[str] = []
    for keys, what in rows(text):  # a row without a key goes on with the one above
        names = code(keys) or ([] if keys else names)
        for name in names:
            told.setdefault(name, set()).update(code(what))
    (estimate,) = [set(code(what)) for _, what in rows(text) if "ci95" in code(what)]
    for division in standings["divisions"]:
        assert set(division) == set(told)
        assert set(division["format"]) == told["format"]
        run_off = division["run_off"]
        entries = [*division["ranking"], *run_off["ranking"], *run_off["rounds"]]
        assert set(division["ranking"][0]) == told["ranking"]
        assert set(run_off) | set(run_off["ranking"][0]) | set(run_off["rounds"][0]) == told["run_off"]
        cells = [cell for row in division["crosstable"].values() for cell in row.values()]
        for one in [*cells, *(entry[key] for entry in entries for key in entry if key in ("rate", "ahead"))]:
            assert one is None or set(one) == estimate
    incidents = [division["incidents"] for division in standings["divisions"]]
    counted = {kind for bots in incidents for kinds in bots.values() for kind in kinds}
    assert counted <= told["incidents"]
    assert "crash" in counted


def test_the_incidents_are_by_division_bot_and_kind(played: Path) -> None:
    told = {name for first, *_ in rows(section(COMPETITION, "### incidents.json")) for name in code(first)}
    incidents = load(played / "incidents.json")
    assert set(incidents) == {"", "kuhn", "cup"}
    assert set(incidents["kuhn"]) == {"call", "raise", "spy"}
    # Any other is a refusal: on a slow machine an answer may come too late.
    counted = {kind for bots in incidents.values() for kinds in bots.values() for kind in kinds}
    assert counted <= told | set(CODES)
    assert incidents["kuhn"]["spy"]["crash"] == 3
    assert incidents["kuhn"]["spy"]["absent"] > 0


def test_the_seed_belongs_to_the_commitment(played: Path) -> None:
    seed = load(played / "seed.json")["seed"]
    assert load(played / "commitment.json")["commitment"] == sha256(bytes.fromhex(seed)).hexdigest()
