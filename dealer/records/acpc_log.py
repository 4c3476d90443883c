"""Complete logs of the ACPC reference dealer: reading and writing.

The header names the game's file, which must exist beside the log, in the working directory or in ``games/``.
A log that is converted from another format contains the definition of a game that is not in ``games/`` in
comment lines, which the reference's tools skip. Hands and seed are then 0: unknown.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from dealer.errors import RecordError
from dealer.records.acpc import AcpcLog, StateLine, log_header, number_text, parse_score, parse_state
from dealer.records.hands import HandMetadata, HandRecord, same_game, verify_settled_as_usual
from dealer.records.replay import (
    RecordedAction,
    RecordedHand,
    Source,
    error_context,
    numbered_lines,
    replay_recorded,
    verify_equal,
)
from dealer.rules.errors import GameError, RulesError
from dealer.rules.events import Acted, Event, HandStarted
from dealer.rules.games import GAMES, Game, load_game, load_game_beside, parse_game
from dealer.rules.notation import parse_betting

_ERROR_CODE = "not_in_acpc"
_HEADER = "# name/game/hands/seed "
_LAST_HAND = 2**32 - 1


def read_acpc(
    source: Source, game: Game | None = None, *, folder: Path | None = None
) -> Iterator[HandRecord]:
    """Yield the hands of a log.

    ``game``: the game, instead of the header's; ``folder``: the log's directory. Seats rotate through
    positions as in the reference dealer; or they are fixed, or follow the names, if the log is of such a
    match. Raises ``RecordError``: ``game_unknown``, ``bad_state_line``, ``bad_score_line``, and the codes of
    ``dealer.records.hands``.
    """
    log = _LogReader(game, folder)
    for number, line in numbered_lines(source):
        with error_context(f"line {number}"):
            if line.startswith("#"):
                log.comment(line)
                continue
            if line.startswith("SCORE:"):
                log.score(line)
                continue
            if not line.strip():
                continue
            record = log.hand(line)
        yield record


class _LogReader:
    """The state of a log at one of its lines."""

    def __init__(self, game: Game | None, folder: Path | None) -> None:
        self.game = game
        self.folder = folder
        self.given = game is not None
        self.file = ""
        self.table = ""
        self.definition: list[str] | None = None
        self.names: tuple[str, ...] = ()
        self.totals: list[float] = []

    def comment(self, line: str) -> None:
        if line.startswith(_HEADER):
            words = line.removeprefix(_HEADER).split()
            if len(words) != 4:
                raise RecordError("bad_header", "the header is not a name, a game, hands and a seed")
            self.table, self.file = words[0], words[1]
        text = line[1:].strip()
        if text == "GAMEDEF":
            self.definition = []
        if self.definition is not None:
            self.definition.append(text)
            if text == "END GAMEDEF" and not self.given:
                name = self.file.rpartition("/")[2].removesuffix(".game")
                self.game = parse_game("\n".join(self.definition), name or "game")

    def hand(self, line: str) -> HandRecord:
        game = self.game or self._load_game()
        state = parse_state(line)
        count = len(state.names)
        if count != game.players:
            raise RecordError("replay_differs", f"{count} players, but {game.name} has {game.players}")
        seats = self._seats(state)
        events = self._replay(game, state, seats)
        names = dict(zip(seats, state.names, strict=True))
        record = HandRecord(game, events, names, HandMetadata(table=self.table))
        values = record.ended.values
        verify_equal(
            {"values": [number_text(value) for value in state.values]},
            {"values": [number_text(value) for value in values]},
        )
        for seat, value in zip(seats, values, strict=True):
            self.totals[seat] += value
        return record

    def _load_game(self) -> Game:
        if not self.file:
            raise RecordError("game_unknown", "no header names the game; name it with --game")
        try:
            self.game = load_game_beside(self.file.rpartition("/")[2], self.folder)
        except GameError as error:
            raise RecordError(
                "game_unknown", f"the game of the header cannot be loaded ({error}); name it with --game"
            ) from error
        return self.game

    def _seats(self, state: StateLine) -> tuple[int, ...]:
        count = len(state.names)
        turned = tuple((position + state.hand) % count for position in range(count))
        if not self.names:
            self.names = _by_seat(turned, state.names)
            self.totals = [0.0] * count
        if len(self.names) == count:
            for seats in (turned, tuple(range(count))):
                if _by_seat(seats, state.names) == self.names:
                    return seats
        if sorted(state.names) == sorted(self.names) and len(set(state.names)) == count:
            return tuple(map(self.names.index, state.names))
        raise RecordError("replay_differs", f"names: {state.names}, but the match is of {self.names}")

    def _replay(self, game: Game, state: StateLine, seats: tuple[int, ...]) -> Sequence[Event]:
        try:
            history = parse_betting(game, state.betting).history
        except RulesError as error:
            raise RecordError("replay_differs", f"betting {state.betting[:200]}: {error}") from error
        actions = [
            RecordedAction(seats[position], action.kind, action.to or None) for _, position, action in history
        ]
        return replay_recorded(
            RecordedHand(game, state.hand, seats, game.stacks, state.hole, state.board[1:], actions)
        )

    def score(self, line: str) -> None:
        score = parse_score(line)
        if sorted(score.names) != sorted(self.names):
            raise RecordError("replay_differs", f"names: {score.names}, but the match is of {self.names}")
        totals = [number_text(total) for total in self.totals]
        if score.names != self.names:
            totals = [totals[self.names.index(name)] for name in score.names]
        verify_equal({"score": [number_text(total) for total in score.totals]}, {"score": totals})


def _by_seat(seats: Sequence[int], names: Sequence[str]) -> tuple[str, ...]:
    return tuple(name for _, name in sorted(zip(seats, names, strict=True)))


def write_acpc(records: Iterable[HandRecord]) -> Iterator[str]:
    """Yield the text of a log, hand by hand.

    Raises ``RecordError``: ``bad_name`` (a name that would break a line) and ``not_in_acpc``: a log has one
    game with the same stacks in every hand, and the same players throughout.
    """
    log: AcpcLog | None = None
    game: Game | None = None
    places: dict[int, int] = {}
    names: Mapping[int, str] = {}
    for number, record in enumerate(records, 1):
        with error_context(f"hand {number}"):
            started = record.started
            head = ""
            if log is None or game is None:
                game, names = record.game, dict(record.names)
                places = {seat: place for place, seat in enumerate(sorted(started.seats))}
                log = AcpcLog(game, [names[seat] for seat in sorted(started.seats)])
                head = log_head(game, record.meta.table)
            _verify(record, game, places, names)
            text = head + log.hand(_renumber_seats(record.events, places))
        yield text
    if log is not None:
        yield log.score().text()


def _verify(record: HandRecord, game: Game, places: Mapping[int, int], names: Mapping[int, str]) -> None:
    started = record.started
    if not same_game(record.game, game, stacks=False):
        raise RecordError(_ERROR_CODE, "the game is not that of the first hand, and a log has one game")
    if started.stacks != game.stacks:
        raise RecordError(
            _ERROR_CODE,
            f"stacks {started.stacks} are not the game's, {game.stacks}, and a log does not tell stacks",
        )
    verify_settled_as_usual(record.ended, _ERROR_CODE)
    if set(started.seats) != set(places) or any(record.names[seat] != names[seat] for seat in places):
        raise RecordError(_ERROR_CODE, "the players are not those of the first hand")
    if not 0 <= started.hand <= _LAST_HAND:
        raise RecordError(_ERROR_CODE, f"a hand's number is 0 to {_LAST_HAND}, not {started.hand}")


def _renumber_seats(events: Sequence[Event], places: Mapping[int, int]) -> list[Event]:
    """Return the events with seats renumbered from 0 without gaps."""
    placed: list[Event] = []
    for event in events:
        match event:
            case HandStarted():
                placed.append(event._replace(seats=tuple(places[seat] for seat in event.seats)))
            case Acted():
                placed.append(event._replace(seat=places[event.seat]))
            case _:
                placed.append(event)
    return placed


def log_head(game: Game, table: str) -> str:
    """Return the comments at the head of a log, from which ``read_acpc`` knows the game."""
    name = "_".join(table.split()) or "match"
    for path in (GAMES / f"{game.name}.game", *sorted(GAMES.glob("*.game"))):
        if path.is_file() and same_game(load_game(path), game):
            return log_header(name, path.name, 0, 0)
    comments = "".join(f"# {line}\n" for line in game.text().splitlines())
    return log_header(name, "converted.game", 0, 0) + comments
