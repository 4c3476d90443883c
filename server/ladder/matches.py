"""One match of the ladder: a competition of one line-up, in a directory that everybody can verify."""

from __future__ import annotations

import asyncio
import hmac
import json
import shutil
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from math import fsum
from pathlib import Path
from typing import Final, NamedTuple, Protocol

import msgspec

from dealer.luck.correction import hand_luck
from dealer.luck.value import shipped_value
from dealer.match import Session
from dealer.ratings.results import LineUpSums, Results
from dealer.rules.events import Event, start_of
from server.bots.sandbox import Sandbox
from server.competition.file import Competition, parse_competition
from server.competition.persistent_bot import PersistentBot
from server.competition.runner import Runner, stop_if_cancelled
from server.competition.store import CompetitionStore
from server.house.house import House
from server.ladder.config import LadderConfig
from server.ladder.records import Match, Version
from server.storage.competition_state import OpenStates
from server.storage.sqlite import STATE_DB_NAME

#: The division of a match's competition.
DIVISION: Final = "ladder"


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
    lines = [*head, *_section_lines(config)]
    for version in versions:
        lines += _bot_lines(version, hashes)
    lines += [
        "[[divisions]]",
        f'name = "{division}"',
        f"game = {json.dumps(config.game)}",
        f"hands = {config.deal_sets}",
        *rules,
        f'seatings = "{"all" if players == 2 else "rotations"}"',
    ]
    return "\n".join(lines) + "\n"


def _section_lines(config: LadderConfig) -> list[str]:
    """Return the lines of a competition file about time and limits."""
    lines = []
    for section in ("time", "limits"):
        lines.append(f"[{section}]")
        given = msgspec.to_builtins(getattr(config, section))
        lines += [f"{key} = {json.dumps(value)}" for key, value in given.items()]
    return lines


def _bot_lines(version: Version, hashes: Mapping[str, str]) -> list[str]:
    """Return the lines about a version, which name its files' hash."""
    lines = [f"# {version.name} {version.hash}".rstrip(), "[[bots]]", f"name = {json.dumps(version.name)}"]
    if version.kind == "house":
        lines.append(f"run = {json.dumps(version.bot)}")
    elif version.kind == "pushed":
        lines.append(f"command = {json.dumps(list(version.command))}")
        if version.hash:
            lines.append(f'folder = "{version.hash}"')
    else:
        lines.append(f'token_hash = "{hashes[version.bot]}"')
    return lines


class MatchEnd(NamedTuple):
    """What a match brought: each deal set's results in mbb/hand, bots in the order of the line-up; the
    incidents of each bot; and the bots for which the server decided so often that they are marked.
    """

    line_up: tuple[str, ...]
    deal_sets: list[list[float]]
    incidents: dict[str, dict[str, int]]
    marked: tuple[str, ...]

    @property
    def sums(self) -> LineUpSums:
        """Return the sums of the results."""
        results = Results()
        for row in self.deal_sets:
            results.add(self.line_up, row)
        sums = results.sums(self.line_up)
        assert sums is not None
        return sums


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
    text = competition_text(place.config, match.number, versions, players, hashes)
    seed = match_seed(place.key, match.number if cards is None else cards)
    competition = parse_competition(text, place.folder, seed)
    store = CompetitionStore(out, place.open_states)
    running = runner(
        competition, text, place.house, place.url, store,
        sandbox=place.sandbox, lent=lent, programs=place.programs,
    )  # fmt: skip
    try:
        if (out / STATE_DB_NAME).is_file():
            store.load()
        running.open()
    except BaseException:
        store.close()
        raise
    await running.run()
    stop_if_cancelled()
    incidents = store.read_json("incidents.json", dict[str, dict[str, dict[str, int]]])[DIVISION]
    found = {bot: counts for bot, counts in incidents.items() if any(counts.values())}
    marked = store.read_json("standings.json", _Standings).divisions[0].marked
    deal_sets = await asyncio.to_thread(read_deal_sets, out, competition)
    return MatchEnd(competition.divisions[DIVISION].line_ups[0], deal_sets, found, tuple(marked))


def read_deal_sets(out: Path, competition: Competition) -> list[list[float]]:
    """Return each deal set's results in mbb/hand from the records of a finished match, in the order of its
    line-up, without the luck of the cards (``dealer.luck``).
    """
    store = CompetitionStore(out)
    line_up = competition.divisions[DIVISION].line_ups[0]
    # By hand: each bot's chips over all seatings.
    chips: list[dict[str, list[float]]] = []
    for session in competition.sessions:
        rows = [_without_luck(competition, session, events) for events in store.hands(session)]
        chips = chips or [{bot: [] for bot in line_up} for _ in rows]
        for seats, row in zip(chips, rows, strict=True):
            for bot, won in zip(session.players, row, strict=True):
                seats[bot].append(won)
    scale = 1000 / (competition.chips_per_unit(DIVISION) * len(competition.sessions))
    return [[fsum(seats[bot]) * scale for bot in line_up] for seats in chips]


def _without_luck(competition: Competition, session: Session, events: Sequence[Event]) -> list[float]:
    """Return by seat what a hand brought without the luck of the cards."""
    started = start_of(events)
    game = competition.games[DIVISION]
    luck = hand_luck(game, events)
    cards = luck.of_cards(shipped_value().weights(limit=game.limit))
    row = [0.0] * len(session.players)
    for seat, won, brought in zip(started.seats, luck.won, cards, strict=True):
        row[seat] = won - brought
    return row


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
