"""Blocks of the documents that the program itself makes. ``python -m tests.docs.made`` writes them anew.

Each stands under a comment that says so; ``test_made.py`` compares them with what is made now.
"""

from __future__ import annotations

import asyncio
import json
import logging
import re
import sys
import tempfile
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import Enum
from itertools import dropwhile, takewhile
from pathlib import Path
from typing import Any, NamedTuple, get_args

import structlog
from websockets.asyncio.client import ClientConnection, connect
from websockets.typing import Subprotocol

from dealer.deck import parse_deal
from dealer.records.convert import FORMATS
from dealer.records.hands import HandMetadata, HandRecord
from dealer.rules.actions import CALL, FOLD, raise_to
from dealer.rules.games import holdem
from dealer.rules.hand import HandState
from dealer.seats import ARRIVAL, ATTENDANCE, DEALING
from protocol.messages import ClientMessage
from protocol.session import REFUSALS, TRANSITIONS, SessionState
from server.competition.file import parse_competition
from server.competition.runner import Runner
from server.competition.store import CompetitionStore
from server.house.house import House
from server.net import gateway
from server.tables.phases import PHASES
from strategy.batch import wire
from strategy.batch.observation import fields
from strategy.parameters import settings_of
from strategy.registry import house_bots, parameters_type
from tests.docs.in_process import standings
from tests.docs.pages import (
    API,
    BATCH,
    BOTS,
    CHECK_BOT,
    COMMANDS,
    ENVIRONMENT,
    FAIRNESS,
    FORMATS_PAGE,
    INTERNALS,
    PROTOCOL,
    README,
    ROOT,
    blocks,
    read,
    section,
)
from tests.docs.programs.ladder_shapes import ladder_fields
from tests.docs.vectors import vectors
from tests.docs.workspace import lay, shell

_WIDTH = 100

#: The match of the transcript: one hand at both seatings, against a bot that calls.
_DUEL = """
name = "transcript"
seed = "protocol"
workers = 1
time = { decision_ms = 5000, bank_ms = 60000 }
bots = [{ name = "you", token = "the organiser's secret" }, { name = "call", run = "call" }]
divisions = [{ name = "duel", game = "holdem.nolimit.2p.reverse_blinds", hands = 1 }]
"""
#: What is said to the turns of that hand.
_ACTS: Sequence[dict[str, object]] = ({"action": "raise", "to": 300}, {"action": "raise", "to": 19700})
_HELLO = {"type": "hello", "name": "you", "token": "the organiser's secret"}
#: What differs from run to run, and what stands in its place.
_RESUME = "YF3kcV0bDdC1sTJUqmLx0wMzXh2nE8rP"
_VERSION = "0.1.0"
#: Names of sessions are longer, and so is the text of a game.
_TABLE = "duel"
_GAME_TEXT = "GAMEDEF\nnolimit\n...\nEND GAMEDEF\n"


class Made(NamedTuple):
    """A made block: the page, the kind of block there (only one), and what makes its text."""

    page: Path
    info: str
    make: Callable[[], str]


def session_diagram() -> str:
    """The connection's states as lines, from ``protocol.session.TRANSITIONS``."""
    heard: dict[tuple[SessionState, SessionState], list[str]] = {}
    for (before, kind), then in TRANSITIONS.items():
        heard.setdefault((before, then), []).append(str(kind.__struct_config__.tag))
    first = heard[SessionState.NEW, SessionState.OPEN]
    every = [str(kind.__struct_config__.tag) for kind in get_args(ClientMessage)]
    if sorted(first + heard[SessionState.OPEN, SessionState.OPEN]) == sorted(every):
        heard[SessionState.OPEN, SessionState.OPEN] = ["every other message"]
    width = max(len(", ".join(kinds)) for kinds in heard.values())
    lines = [
        f"{before.value:6} --- {', '.join(kinds):{width}} --->  {then.value:8} else: {REFUSALS[before]}"
        for (before, then), kinds in heard.items()
    ]
    lines.append(f"{'any':6} --- {'either side closes':{width}} --->  {SessionState.CLOSED.value}")
    return "\n".join(lines) + "\n"


def states(table: Mapping[Any, Enum]) -> Callable[[], str]:
    """Makes the lines of a table of transitions: one for each state, with what leads from it where."""

    def lines() -> str:
        text = []
        for state in type(next(iter(table))[0]):
            after = "; ".join(
                f"{step.value} -> {then.value}" for (before, step), then in table.items() if before is state
            )
            text += textwrap.wrap(f"{state.value:17}{after or '-'}", _WIDTH, subsequent_indent=" " * 17)
        return "\n".join(text) + "\n"

    return lines


def transcript() -> str:
    """The recorded match, one message a line, long ones folded."""
    return "".join(f"{who} {_fold(message)}\n" for who, message in asyncio.run(recorded()))


def transcript_messages(text: str) -> Iterator[tuple[str, str]]:
    """Who says what: the messages of a transcript as JSON."""
    for match in re.finditer(r"^([CS]) (.*(?:\n  .*)*)$", text, re.MULTILINE):
        yield match[1], re.sub(r"\n +", " ", match[2])


async def recorded() -> list[tuple[str, dict[str, Any]]]:
    """Play the match over a websocket and note everything that is said, until it is over."""
    said: list[tuple[str, dict[str, Any]]] = []
    with tempfile.TemporaryDirectory() as out:
        competition = parse_competition(_DUEL)
        store = CompetitionStore(Path(out) / "results")
        house = House(storage=store.open_states)
        entrance = await gateway.serve(house, "127.0.0.1", 0)
        url = f"ws://127.0.0.1:{entrance.port}"
        runner = asyncio.create_task(Runner(competition, _DUEL, house, url, store).run())
        try:
            async with connect(url, subprotocols=[Subprotocol("pokerd.v1.json")]) as socket:
                await _play(socket, said)
            await runner
        finally:
            runner.cancel()
            await entrance.close()
    first = next(index for index, (_, message) in enumerate(said) if message["type"] == "match_end")
    return said[: first + 1]


async def _play(socket: ClientConnection, said: list[tuple[str, dict[str, Any]]]) -> None:
    async def say(message: dict[str, Any]) -> None:
        said.append(("C", _settled(message)))
        await socket.send(json.dumps(message))

    acts = iter((*_ACTS, *_ACTS))
    await say(_HELLO)
    async for frame in socket:
        messages = json.loads(frame)
        for message in messages if isinstance(messages, list) else [messages]:
            said.append(("S", _settled(message)))
            if message["type"] == "match_start":
                await say({"type": "ready", "table": message["table"]})
            elif message["type"] == "turn":
                act = next(acts)
                await say({"type": "act", "table": message["table"], "turn": message["turn"], **act})


def _settled(message: dict[str, Any]) -> dict[str, Any]:
    """The message with what is different in every run replaced, and what is long shortened."""
    settled: dict[str, object] = {"resume": _RESUME, "server": _VERSION, "table": _TABLE, "match": _TABLE}
    if message["type"] == "turn":  # a few microseconds have passed when the question is put
        settled |= {"time_ms": round(message["time_ms"], -3)}
    if message["type"] == "match_start":
        settled |= {"game": {**message["game"], "text": _GAME_TEXT}}
    return {field: settled.get(field, value) for field, value in message.items()}


def _fold(message: dict[str, Any]) -> str:
    """JSON in lines of bearable length, broken before a field."""
    lines = [""]
    for part in re.split(r'(?<=,) (?="[a-z_]+": )', json.dumps(message)):
        indent = 2 if len(lines) == 1 else 4
        if lines[-1] and indent + len(lines[-1]) + 1 + len(part) > _WIDTH:
            lines.append("")
        lines[-1] += f" {part}" if lines[-1] else part
    return "\n    ".join(lines)


def example() -> str:
    """The standings of the three-player division of the example competition."""
    told = standings(ROOT / "games" / "example.toml", "limit-3p")["limit-3p"]
    return _table(told, "### Total bankroll")


def own() -> str:
    """What the commands of the README print for the competition that it has the reader write."""
    (commands,) = [block for block in blocks(README, "sh") if "mine.toml" in block.text]
    (competition,) = blocks(README, "toml")
    with tempfile.TemporaryDirectory() as folder:
        place = lay(Path(folder))
        (place / "mine.toml").write_text(competition.text, encoding="utf-8")
        played, verified = [shell(command, place) for command in commands.text.splitlines()]
    first, committed, *_ = played.splitlines()
    last = played.rstrip().splitlines()[-1]
    return "\n".join([first, committed, "...", _table(played, "### Total bankroll") + "...", last, verified])


def _table(markdown: str, heading: str) -> str:
    """The table under a heading."""
    below = markdown[markdown.index(heading) :].splitlines(keepends=True)
    table = dropwhile(lambda line: not line.startswith("|"), below)
    return "".join(takewhile(lambda line: line.startswith("|"), table))


def _printed(heading: str) -> Callable[[], str]:
    """What the first command under a heading prints."""

    def make() -> str:
        text = section(COMMANDS, heading).replace("\\\n", "")
        command = next(line for line in text.splitlines() if line.startswith("python -m"))
        with tempfile.TemporaryDirectory() as folder:
            return shell(command, lay(Path(folder)))

    return make


def _parameters() -> str:
    """The parameters of all house bots, with those together that have the same."""
    kinds: dict[type, list[str]] = {}
    for bot in house_bots():
        kind = parameters_type(bot.name)
        if kind is not None:
            kinds.setdefault(kind, []).append(bot.name)
    parts = []
    for kind, names in kinds.items():
        open_to_all = settings_of(kind, stranger=True)
        lines = [", ".join(names)]
        for key, setting in settings_of(kind).items():
            allowed = setting.allowed
            if key not in open_to_all:
                allowed += " (not at open tables)"
            elif open_to_all[key].most < setting.most:
                allowed += f" (at open tables {open_to_all[key].most})"
            lines.append(f"  {key} = {json.dumps(setting.default)}: {allowed}; {setting.meaning}")
        parts.append("\n".join(lines))
    return "\n\n".join(parts) + "\n"


def _observation() -> str:
    """The fields of a learner's observation."""
    lines = ["from   to  field"]
    for field in fields(6):
        meaning = textwrap.wrap(field.meaning, _WIDTH - 22)
        lines.append(f"{field.start:4} {field.start + field.size - 1:4}  {field.name:10} {meaning[0]}")
        lines += [f"{'':22}{more}" for more in meaning[1:]]
    return "\n".join(lines) + "\n"


def _layout() -> str:
    """The parts of the frames of a batch."""
    players, history = 2, 32
    parts = [
        ("header of a server's frame", wire.HEADER_FIELDS, wire.HEADER),
        (
            f"row of a turn or of a hand that ended, {players} players, history {history}",
            wire.row_fields(players, history),
            wire.row_type(players, history),
        ),
        ("refusal", wire.REFUSAL_FIELDS, wire.REFUSAL),
        ("header of your frame", wire.REPLY_FIELDS, wire.REPLY),
        ("row of your frame: an answer", wire.ANSWER_FIELDS, wire.ANSWER),
    ]
    found = []
    for name, listed, kind in parts:
        lines = [f"{name}: {kind.itemsize} bytes"]
        for field in listed:
            assert kind.fields is not None
            number = f"{field.form}[{field.size}]" if field.size > 1 else field.form
            lines.append(f"{kind.fields[field.name][1]:4}  {number:7} {field.name:10} {field.meaning}")
        found.append("\n".join(lines))
    return "\n\n".join(found).replace("`", "") + "\n"


def _record(name: str) -> Callable[[], str]:
    """The example hand of the page, in a format."""

    def make() -> str:
        text = "".join(FORMATS[name].write([example_hand()]))
        if name != "ohh":
            return text.rstrip("\n") + "\n"
        breaks = r', (?="(?:game_number|dealer_seat|players|rounds|pots)"|\{"(?:id|number|action_number)")'
        lines = re.sub(breaks, ",\n", text.rstrip("\n")).splitlines()
        return "".join(f"{part}\n" for line in lines for part in _broken(line))

    return make


def _broken(line: str) -> list[str]:
    """The line in parts of bearable length, each but the last ending in a comma."""
    parts = [""]
    for word in re.split(r"(?<=,) ", line):
        if len(parts[-1]) + 1 + len(word) > _WIDTH:
            parts.append("")
        parts[-1] += f" {word}" if parts[-1] else word
    return parts


def example_hand() -> HandRecord:
    """A hand that is soon told."""
    game = holdem(3, 5, 10, stack=500)
    # In hand 3 the position of each of three seats is that of the reference dealer: a log tells no seats.
    hand = HandState(game, parse_deal("AhKd|7c7d|2s3s/Kc7h2d/9s/4c", game), number=3)
    for action in (FOLD, raise_to(30), CALL, raise_to(40), CALL, CALL, CALL, CALL, CALL):
        hand.act(action)
    return HandRecord(game, hand.events, {0: "Ann", 1: "Bob", 2: "Cy"}, HandMetadata(table="main"))


#: A bot that says by how much it raises.
_BOT = """
from pokerd_bot import Action, Bot, Turn, run


class Mine(Bot):
    def act(self, turn: Turn) -> Action:
        return turn.call() if turn.min_raise is None or turn.can_fold else turn.raise_to(100)


raise SystemExit(run(Mine))
"""


def check() -> str:
    """What the command on the page prints for such a bot: a few lines, the fault, and the sum."""
    (command,) = [block.text.strip() for block in blocks(CHECK_BOT, "sh")]
    with tempfile.TemporaryDirectory() as folder:
        place = lay(Path(folder))
        (place / "mybot.py").write_text(_BOT, encoding="utf-8")
        lines = _lines(shell(f"{command} || true", place, COLUMNS="98"))
    first = next(number for number, line in enumerate(lines) if line.startswith("FAULT raise-to ("))
    fault = list(takewhile(bool, lines[first:]))
    told = "\n".join([*lines[:4], "...", "", *fault, "...", lines[-1]]) + "\n"
    # How long it took, and how often it came up until then.
    return re.sub(r'"time_ms": \d+', '"time_ms": 5000', re.sub(r"\d+ times", "20 times", told))


def _lines(text: str) -> list[str]:
    return [line.rstrip() for line in text.splitlines()]


MADE = (
    Made(PROTOCOL, "session", session_diagram),
    Made(INTERNALS, "phases", states(PHASES)),
    Made(INTERNALS, "arrival", states(ARRIVAL)),
    Made(INTERNALS, "attendance", states(ATTENDANCE)),
    Made(INTERNALS, "dealing", states(DEALING)),
    Made(PROTOCOL, "transcript", transcript),
    Made(README, "example", example),
    Made(README, "own", own),
    Made(COMMANDS, "rules", _printed("## rules")),
    Made(COMMANDS, "strength", _printed("## strength")),
    Made(COMMANDS, "pushfold", _printed("## pushfold")),
    Made(COMMANDS, "one-against-one", _printed("## pushfold-match")),
    Made(CHECK_BOT, "check", check),
    Made(API, "ladder", ladder_fields),
    Made(BOTS, "parameters", _parameters),
    Made(ENVIRONMENT, "observation", _observation),
    Made(BATCH, "layout", _layout),
    Made(FAIRNESS, "deals", vectors),
    *(Made(FORMATS_PAGE, name, _record(name)) for name in ("acpc", "phhs", "ohh", "pokerstars", "journal")),
)


def main() -> None:
    """Write every made block into its page."""
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.ERROR))
    for made in MADE:
        text = read(made.page)
        (block,) = blocks(made.page, made.info)
        fence = f"```{made.info}\n"
        new = made.make()
        if new != block.text:
            read.cache_clear()
            made.page.write_text(text.replace(fence + block.text, fence + new), encoding="utf-8")
            sys.stderr.write(f"{made.page.relative_to(ROOT)}: {made.info}\n")


if __name__ == "__main__":
    main()
