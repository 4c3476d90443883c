"""One match of the ladder: a competition of one line-up, in a directory that everybody can verify."""

from __future__ import annotations

import asyncio
import hmac
import json
import re
import shutil
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from math import fsum
from pathlib import Path
from typing import Final, NamedTuple, Protocol

import msgspec
from msgspec import structs

from dealer.luck.declared import ChanceSums, DeclaredChances
from dealer.luck.value import shipped_value
from dealer.match import Session
from dealer.ratings.dice import dice_sums
from dealer.rules.events import Event
from server.bots.outputs import cut_outputs
from server.bots.sandbox import Sandbox
from server.competition.aliases import reveal_names
from server.competition.file import Competition, parse_competition
from server.competition.luck import session_luck
from server.competition.persistent_bot import PersistentBot
from server.competition.runner import Runner, stop_if_cancelled
from server.competition.store import CompetitionStore, StoreError
from server.house.house import House
from server.ladder.config import LadderConfig
from server.ladder.errors import LadderError
from server.ladder.records import Match, MatchResult, Version
from server.ladder.store import LadderStore
from server.storage.competition_state import OpenStates
from server.storage.sqlite import STATE_DB_NAME

#: The division of a match's competition.
DIVISION: Final = "ladder"
#: Bytes of what each bot has printed in a session that are kept.
_OUTPUT: Final = 65_536


class MatchPlace(NamedTuple):
    """Where matches are played: ``folder`` of the ladder, ``key`` from which all cards follow, and the server
    whose ``url`` the bots connect to.
    """

    folder: Path
    key: bytes
    house: House
    url: str
    sandbox: Sandbox
    open_states: OpenStates
    config: LadderConfig

    @property
    def programs(self) -> Path:
        """Return the folder of pushed programs, by their hashes."""
        return self.folder / "versions"


def match_directory(folder: Path, number: int) -> Path:
    """Return the directory of a match; a thousand share a folder."""
    return folder / "matches" / f"{number // 1000:03}" / f"{number}"


def match_value_function(folder: Path, number: int) -> str | None:
    """Return the SHA-256 of the value function that took luck out of a match; None if its records are gone or
    damaged, or older than value functions.
    """
    store = CompetitionStore(match_directory(folder, number))
    try:
        return store.read_json("commitment.json", dict[str, str]).get("value_function")
    except StoreError:
        return None


def begin_season(folder: Path, store: LadderStore) -> None:
    """Note the value function of the season if it begins now. Raises ``LadderError``
    (``other_value_function``) if it began, or its newest match was played, with another than pokerd has.
    """
    mine = shipped_value().digest
    played = (match_value_function(folder, number) for number in store.season_matches())
    for found in (store.value_function, next(filter(None, played), mine)):
        if found != mine:
            raise LadderError(
                "other_value_function",
                f"season {store.season!r} takes out luck with the value function {found}, and this pokerd has"
                f" {mine}: go on with the pokerd that it began with, or begin another season in ladder.toml",
            )
    store.set_value_function(mine)


def match_seed(key: bytes, number: int) -> bytes:
    """Return the seed of a match, from which its cards follow."""
    return hmac.digest(key, f"match {number}".encode(), "sha256")


def competition_text(
    config: LadderConfig, number: int, versions: Sequence[Version], players: int, hashes: Mapping[str, str]
) -> str:
    """Return the competition file of a match. ``hashes`` are those of the tokens of remote bots."""
    head = [f'name = "match-{number}"', f"workers = {1 if players == 2 else 2}"]
    return one_division_text(config, head, DIVISION, versions, players, hashes)


def one_division_text(
    config: LadderConfig,
    head: Sequence[str],
    division: str,
    versions: Sequence[Version],
    players: int,
    hashes: Mapping[str, str],
    *rules: str,
) -> str:
    """Return a competition file that begins with the lines ``head``, of one division with these ``rules``."""
    # In a blind ladder bots must not tell their authors whom they met.
    lines = [*head, *(["anonymous = true"] if config.blind else []), *_section_lines(config)]
    for version in versions:
        lines += _bot_lines(version, hashes)
    lines += [
        "[[divisions]]",
        f'name = "{division}"',
        f"game = {toml_text(config.game)}",
        f"hands = {config.deal_sets}",
        *rules,
        f'seatings = "{"all" if players == 2 else "rotations"}"',
    ]
    return "\n".join(lines) + "\n"


def toml_text(value: object) -> str:
    """Return texts, numbers, or lists of them as TOML. That is JSON, except for characters beyond 16 bits, of
    which JSON escapes two halves, and the one that it does not escape.
    """

    def escaped(found: re.Match[str]) -> str:
        number = ord(found[0])
        return f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"

    return re.sub("[^ -~]", escaped, json.dumps(value, ensure_ascii=False))


def _section_lines(config: LadderConfig) -> list[str]:
    """Return the lines of a competition file about time and limits."""
    lines = []
    for section in ("time", "limits"):
        lines.append(f"[{section}]")
        given = msgspec.to_builtins(getattr(config, section))
        lines += [f"{key} = {toml_text(value)}" for key, value in given.items()]
    return lines


def _bot_lines(version: Version, hashes: Mapping[str, str]) -> list[str]:
    """Return the lines about a version, which name its files' hash."""
    lines = [f"# {version.name} {version.hash}".rstrip(), "[[bots]]", f"name = {toml_text(version.name)}"]
    if version.kind == "house":
        lines.append(f"run = {toml_text(version.bot)}")
    elif version.kind == "pushed":
        lines.append(f"command = {toml_text(list(version.command))}")
        if version.hash:
            lines.append(f'folder = "{version.hash}"')
    else:
        lines.append(f'token_hash = "{hashes[version.bot]}"')
    return lines


class DealSets(NamedTuple):
    """The deal sets of a match, in mbb/hand, bots in the order of ``line_up``, without the luck of the cards.

    ``dice``: by each bot that declares its chances, what its dice brought, in the same form; it is still in
    ``rows``. ``chances``: what it declared, beside what it played.
    """

    line_up: tuple[str, ...]
    rows: list[list[float]]
    dice: Mapping[str, list[list[float]]] = {}
    chances: Mapping[str, ChanceSums] = {}

    @property
    def result(self) -> MatchResult:
        """Return the sums, of bots in alphabetical order."""
        order = sorted(range(len(self.line_up)), key=self.line_up.__getitem__)

        def ordered(rows: list[list[float]]) -> list[list[float]]:
            return [[row[place] for place in order] for row in rows]

        dice = {bot: ordered(rows) for bot, rows in self.dice.items()}
        return MatchResult(dice_sums(ordered(self.rows), dice), self.chances)

    def raw(self) -> MatchResult:
        """Return the same with all dice in the results, as matches were once stored."""
        return self._replace(dice={}).result._replace(chances=None)


class MatchEnd(NamedTuple):
    """What a match brought; the incidents of each bot; and the bots for which the server decided so often
    that they are marked.
    """

    deal_sets: DealSets
    incidents: dict[str, dict[str, int]]
    marked: tuple[str, ...]


class Play(Protocol):
    """Plays a match, as ``play_match`` does."""

    async def __call__(
        self,
        place: MatchPlace,
        match: Match,
        versions: Sequence[Version],
        hashes: Mapping[str, str],
        lent: Mapping[str, PersistentBot],
    ) -> MatchEnd: ...


class _Division(msgspec.Struct):
    marked: list[str]


class _Standings(msgspec.Struct):
    divisions: list[_Division]


async def play_match(
    place: MatchPlace,
    match: Match,
    versions: Sequence[Version],
    hashes: Mapping[str, str],
    lent: Mapping[str, PersistentBot],
    cards: int | None = None,
    runner: Callable[..., Runner] = Runner,
) -> MatchEnd:
    """Play a match, or what is left of one that was interrupted, and return what it brought. ``cards``: the
    number of the match whose cards are dealt (default: its own). ``runner`` makes what plays it.

    Raises ``CompetitionFault``, ``StateError``, ``StoreError`` and ``CompetitionError``.
    """
    out = match_directory(place.folder, match.number)
    out.parent.mkdir(parents=True, exist_ok=True)
    players = place.config.load_game(place.folder).players
    config, store = place.config, CompetitionStore(out, place.open_states)
    try:
        if (out / STATE_DB_NAME).is_file():
            # A match goes on as it began: from that follow the names of its files.
            config = structs.replace(config, blind=store.load()[0].entry.anonymous)
        text = competition_text(config, match.number, versions, players, hashes)
        seed = match_seed(place.key, match.number if cards is None else cards)
        competition = parse_competition(text, place.folder, seed)
        running = runner(
            competition, text, place.house, place.url, store,
            sandbox=place.sandbox, lent=lent, programs=place.programs,
        )  # fmt: skip
        running.open()
    except BaseException:
        store.close()
        raise
    try:
        await running.run()
    finally:
        # Authors read the logs of a match that was not finished, too.
        reveal_names(competition, out)
        cut_outputs(out / "logs" / "bots", _OUTPUT)
    stop_if_cancelled()
    found = read_incidents(out)
    marked = store.read_json("standings.json", _Standings).divisions[0].marked
    deal_sets = await asyncio.to_thread(read_deal_sets, out, competition)
    return MatchEnd(deal_sets, found, tuple(marked))


def read_incidents(out: Path) -> dict[str, dict[str, int]]:
    """Return the incidents of each bot that has any, from the records of a finished match."""
    incidents = CompetitionStore(out).read_json("incidents.json", dict[str, dict[str, dict[str, int]]])
    return {bot: counts for bot, counts in incidents[DIVISION].items() if any(counts.values())}


def kept_matches(folder: Path) -> dict[int, Path]:
    """Return the directories of matches that there are, by number."""
    return {int(path.name): path for path in (folder / "matches").glob("*/*")}


def read_deal_sets(out: Path, competition: Competition) -> DealSets:
    """Return the deal sets from the records of a finished match."""
    store = CompetitionStore(out)
    return deal_sets_of(competition, lambda session: list(store.hands(session)))


def deal_sets_of(
    competition: Competition, hands_of: Callable[[Session], Sequence[Sequence[Event]]]
) -> DealSets:
    """Return the deal sets of a match, whose sessions have the hands that ``hands_of`` returns."""
    line_up = competition.divisions[DIVISION].line_ups[0]
    declared = {bot: DeclaredChances() for bot in line_up}
    nets = _Chips(line_up)
    dice: dict[str, _Chips] = {}
    for session in competition.sessions:
        luck = session_luck(competition, session, hands_of(session), declared)
        nets.add(session, luck.nets)
        for seat, rows in luck.dice.items():
            dice.setdefault(session.players[seat], _Chips(line_up)).add(session, rows)
    scale = 1000 / (competition.chips_per_unit(DIVISION) * len(competition.sessions))
    return DealSets(
        line_up,
        nets.rows(scale),
        {bot: brought.rows(scale) for bot, brought in sorted(dice.items())},
        {bot: declared[bot].sums() for bot in sorted(dice)},
    )


class _Chips:
    """Chips by deal set and bot, over all seatings."""

    def __init__(self, line_up: Sequence[str]) -> None:
        self._line_up = line_up
        self._sets: list[dict[str, list[float]]] = []

    def add(self, session: Session, rows: Sequence[Sequence[float]]) -> None:
        """Add the hands of a session, by seat."""
        self._sets = self._sets or [{bot: [] for bot in self._line_up} for _ in rows]
        for known, row in zip(self._sets, rows, strict=True):
            for bot, chips in zip(session.players, row, strict=True):
                known[bot].append(chips)

    def rows(self, scale: float) -> list[list[float]]:
        """Return the sums times ``scale``, in the order of the line-up."""
        return [[fsum(known[bot]) * scale for bot in self._line_up] for known in self._sets]


def remove_hands(folder: Path, until: int, spare: Collection[int]) -> None:
    """Remove the directories of matches up to a number, except those to ``spare``; their results stay in the
    ladder.
    """
    for thousand in (folder / "matches").glob("*"):
        if int(thousand.name) * 1000 > until:
            continue
        for path in thousand.iterdir():
            if int(path.name) <= until and int(path.name) not in spare:
                shutil.rmtree(path, ignore_errors=True)
        with suppress(OSError):  # others are in it
            thousand.rmdir()
