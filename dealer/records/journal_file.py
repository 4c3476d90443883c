"""Whole journals: read as hands, and written from hands.

The header of a journal names its game. At cash tables and in tournaments, where the number of players and
the blinds change from hand to hand, the stakes of a hand are what was posted; where a stack was too short for
that, what was called, or else the stakes of the hand before. A journal that is converted from another format
has the game's ``definition`` in its header.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from dealer.errors import RecordError
from dealer.records.hands import HandMetadata, HandRecord, HoldemStakes, same_game, stakes_of_game
from dealer.records.journal import hand_line, journal_header, read_journal
from dealer.records.replay import Source, error_context, numbered_lines
from dealer.rules.errors import GameError, ReplayError
from dealer.rules.events import Acted, BoardDealt, Event, HandStarted
from dealer.rules.games import STRADDLE_PLAYERS, Game, load_game, parse_game
from dealer.rules.hand import replay

_ERROR_CODE = "not_in_journal"
_TABLE = re.compile(r"holdem\.(limit|nolimit|pushfold)\.[0-9]+p", re.ASCII)


def read_journal_file(source: Source, game: Game | None = None) -> Iterator[HandRecord]:
    """The hands of a journal, as they are asked for; ``game`` instead of what the header names.

    Raises ``RecordError``: those of ``read_journal``, ``game_unknown``, and the codes of
    ``dealer.records.hands``.
    """
    facts, hands = read_journal(line for _, line in numbered_lines(source))
    games = _GameFinder(facts, game)
    players = facts.get("players", [])
    if not isinstance(players, list) or not all(isinstance(name, str) for name in players):
        raise RecordError("bad_header", "players is not a list of names")
    names = dict(enumerate(players))
    meta = HandMetadata(table=facts["session"] if isinstance(facts.get("session"), str) else "")
    muck = False
    for number, events in enumerate(hands, 2):
        with error_context(f"line {number}"):
            record = HandRecord(_started_game(games, events), events, names, meta)
            started = record.started
            muck = _replay(record, muck)
            named = {seat: names.get(seat) or f"seat-{seat + 1}" for seat in started.seats}
        yield record._replace(names=named)


def _started_game(games: _GameFinder, events: Sequence[Event]) -> Game:
    first = events[0]
    if not isinstance(first, HandStarted):
        raise RecordError("not_a_hand", "the events are not those of one whole hand")
    count = len(first.seats)
    if not all(len(field) == count for field in (first.stacks, first.antes, first.blinds, first.hole)):
        raise RecordError("bad_hand", "the hand does not begin with as many stacks as seats")
    return games.game_of(first, events)


def _replay(record: HandRecord, muck: bool) -> bool:
    """Play the hand again, and say whether losers could muck; ``muck`` is tried first.

    Raises ReplayError.
    """
    try:
        hand = replay(record.game, record.events, muck=muck)
    except ReplayError:
        hand = replay(record.game, record.events, muck=not muck)
        muck = not muck
    if not hand.over:
        raise RecordError("not_a_hand", "the events are not those of one whole hand")
    return muck


class _GameFinder:
    """Finds the game of each hand of a journal."""

    def __init__(self, facts: Mapping[str, Any], given: Game | None) -> None:
        name, rules, text = (str(facts.get(key, "")) for key in ("game", "rules", "definition"))
        self._rules = given.rules if given else rules or "acpc"
        self._base = given
        self._stakes: HoldemStakes | None = None
        table = _TABLE.match(name)
        self._limit = table is not None and table[1] == "limit"
        if given is None:
            try:
                self._base = (parse_game(text, name) if text else load_game(name)).with_rules(self._rules)
            except GameError as error:
                if table is None:
                    raise RecordError(
                        "game_unknown",
                        f"the game of the header cannot be loaded ({error}); name it with --game",
                    ) from error
        if self._base is not None:
            self._limit = self._base.limit
            self._stakes = stakes_of_game(self._base) if len(self._base.blinds) > 1 else None

    def game_of(self, started: HandStarted, events: Sequence[Event]) -> Game:
        """The game of a hand that begins so. Raises GameError and ``RecordError``."""
        base = self._base
        if base is not None and len(started.seats) == base.players and _posts_match(base, started):
            return base
        stakes = _guess_stakes(started, events, self._limit, self._stakes)
        game = stakes.game(self._rules, started.stacks)
        self._stakes = stakes
        return game


def _posts_match(game: Game, started: HandStarted) -> bool:
    """Whether antes and blinds are those of the game."""
    antes = tuple(min(game.ante, stack) for stack in started.stacks)
    posts = tuple(
        min(post, stack - ante) for post, stack, ante in zip(game.posts, started.stacks, antes, strict=True)
    )
    return (antes, posts) == (started.antes, started.blinds)


def _guess_stakes(
    started: HandStarted, events: Sequence[Event], limit: bool, before: HoldemStakes | None
) -> HoldemStakes:
    """The stakes of a table from what was posted and called. ``before``: of the hand before."""
    count = len(started.seats)
    if count < 2:
        raise RecordError("bad_hand", "a hand has two players or more")
    places = (1, 0) if count == 2 else (0, 1)
    straddle = started.blinds[2] if count >= STRADDLE_PLAYERS else 0
    known = before[1:3] if before else (0, 0)
    # A call of a straddle says nothing of the big blind.
    called = 0 if straddle else _largest_call(events, limit)
    small, big = (
        started.blinds[place]
        if started.blinds[place] + started.antes[place] < started.stacks[place]
        else max(least, started.blinds[place])
        for place, least in zip(places, (known[0], called or known[1]), strict=True)
    )
    # No small blind is above the big one: then it was not known.
    small = min(small, big)
    if before and straddle and straddle + started.antes[2] == started.stacks[2]:
        straddle = max(straddle, before.straddle)
    return HoldemStakes(count, small, big, max(started.antes), (big, 2 * big) if limit else None, straddle)


def _largest_call(events: Sequence[Event], limit: bool) -> int:
    """The big blind as the first who calls it, or raises it in a limit game, shows; 0 if nobody does."""
    for event in events:
        if isinstance(event, BoardDealt):
            break
        if isinstance(event, Acted) and event.action != "fold":
            if event.all_in or (event.action == "raise" and not limit):
                break
            return event.to // 2 if event.action == "raise" else event.to
    return 0


def write_journal_file(records: Iterable[HandRecord]) -> Iterator[str]:
    """The text of a journal, hand by hand. Raises ``RecordError`` ``not_in_journal`` when a player or a game
    cannot be told by the one header that there is.
    """
    games: _GameFinder | None = None
    names: dict[int, str] = {}
    for number, record in enumerate(records, 1):
        with error_context(f"hand {number}"):
            head = ""
            if games is None:
                names = dict(record.names)
                facts = _facts(record)
                games = _GameFinder(facts, None)
                head = journal_header(facts)
            if any(names.get(seat) != name for seat, name in record.names.items()):
                raise RecordError(
                    _ERROR_CODE, "a player is not one of the first hand, and the header has no other"
                )
            _verify(record, games.game_of(record.started, record.events))
            text = head + hand_line(record.events)
        yield text


def _verify(record: HandRecord, game: Game) -> None:
    """Check that the hand can be read back, by the game that will be read for it."""
    if same_game(game, record.game, stacks=False):
        return
    try:
        _replay(record._replace(game=game), False)
    except ReplayError as error:
        raise RecordError(
            _ERROR_CODE, "the game is neither that of the first hand nor told by blinds and calls"
        ) from error


def _facts(record: HandRecord) -> dict[str, Any]:
    seats = max(record.names, default=-1) + 1
    return {
        "definition": record.game.text(),
        "game": record.game.name,
        "players": [record.names.get(seat, "") for seat in range(seats)],
        "rules": record.game.rules,
        "session": record.meta.table,
    }
