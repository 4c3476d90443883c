"""A competition's directory: what is written, when, and how it is read back.

    competition.toml, games/      the competition file and its games' definitions
    commitment.json               before the first card: the hash of the seed
    hands/DIVISION/SESSION.jsonl  every hand, as it is finished
    seed.json                     after the last card: the seed
    hands/DIVISION/SESSION.log    the same hands as the ACPC dealer logs them
    hands/DIVISION/SESSION.phhs   and as Poker Hand Histories (hold'em only)
    places.json                   tournaments only: each session's finishing order, by seat
    incidents.json                what went wrong, by division and bot
    standings.json, standings.md  the result
    logs/                         the server's and the bots' own words, with times

All but ``logs`` is a function of competition file, seed and the bots' answers: a rerun gives the same bytes.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, Any, TypeVar

import msgspec

from dealer.deck import seed_bytes
from dealer.errors import DealerError, RecordError
from dealer.match import Session
from dealer.records.journal import hand_line, journal_header, read_journal
from dealer.rules.events import Event
from dealer.rules.games import Game, parse_game
from server.competition_file import Competition, parse_competition
from server.incidents import Incidents
from server.results import closing, opening

_Shape = TypeVar("_Shape")

__all__ = ["SessionRecorder", "Store", "StoreError", "free_directory", "session_header"]


class StoreError(DealerError):
    """The directory cannot be used: ``out_exists``, ``not_a_competition`` or ``unfinished``."""


def free_directory(parent: Path, name: str) -> Path:
    """``parent/name``, or with -2, -3, ... after it if that exists."""
    candidate = parent / name
    number = 2
    while candidate.exists():
        candidate = parent / f"{name}-{number}"
        number += 1
    return candidate


class SessionRecorder:
    """Writes the journal of one session, hand by hand."""

    def __init__(self, path: Path, header: str) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._file: IO[str] = path.open("x", encoding="utf-8", newline="\n")
        self._file.write(header)

    def hand(self, events: Sequence[Event]) -> None:
        """Append one hand."""
        self._file.write(hand_line(events))

    def close(self) -> None:
        """No more hands."""
        self._file.close()


class Store:
    """The directory of one competition."""

    def __init__(self, out: Path) -> None:
        self.out = out

    # Writing.

    def verify_free(self, *, but: Collection[str] = ()) -> None:
        """Raises ``StoreError`` (``out_exists``) unless the directory is new or empty.

        ``but``: names that may be in it all the same.
        """
        if not self.out.exists():
            return
        if not self.out.is_dir():
            raise StoreError("out_exists", f"{self.out} is not a directory")
        there = sorted(path.name for path in self.out.iterdir() if path.name not in but)
        if there:
            raise StoreError(
                "out_exists", f"{self.out} is not empty ({there[0]} is there); name another directory"
            )

    def open(self, competition: Competition, text: str) -> None:
        """Begin: the competition, its games and the commitment. Raises ``StoreError`` (``out_exists``)."""
        # The server's own log has begun before.
        self.verify_free(but=("logs",))
        (self.out / "games").mkdir(parents=True, exist_ok=True)
        self._write("competition.toml", text)
        for name, made in opening(competition):
            self._write(name, made)

    def session(self, session: Session, game: Game) -> SessionRecorder:
        """The recorder of a session that begins."""
        return SessionRecorder(self.journal(session), session_header(session, game))

    def finish(
        self, competition: Competition, incidents: Incidents, places: Mapping[str, Sequence[int]]
    ) -> None:
        """All is played: reveal the seed, write the logs in the formats of others, and the standings."""
        for name, text in closing(competition, lambda one: list(self.hands(one)), incidents, places):
            self._write(name, text)

    def _write(self, name: str, text: str) -> None:
        (self.out / name).write_text(text, encoding="utf-8", newline="\n")

    # Reading.

    def journal(self, session: Session) -> Path:
        """Where a session's journal is."""
        return self.out / "hands" / f"{session.name}.jsonl"

    def read(self, name: str, shape: type[_Shape]) -> _Shape:
        """One of the JSON files. Raises ``StoreError``, also when it holds something of another shape."""
        try:
            return msgspec.json.decode((self.out / name).read_bytes(), type=shape)
        except OSError:
            code = "unfinished" if (self.out / "competition.toml").exists() else "not_a_competition"
            raise StoreError(code, f"{self.out} has no {name}") from None
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise StoreError("not_a_competition", f"{self.out / name} cannot be read: {error}") from None

    def competition(self) -> Competition:
        """The competition with its revealed seed. Raises ``StoreError`` and ``CompetitionError``."""
        seed = self.read("seed.json", dict[str, str])
        try:
            text = (self.out / "competition.toml").read_text(encoding="utf-8")
            value = int(seed["seed"]) if seed["deck"] == "acpc" else bytes.fromhex(seed["seed"])
            seed_bytes(value)
            games = {
                path.stem: parse_game(path.read_text(encoding="utf-8"), path.stem)
                for path in sorted((self.out / "games").glob("*.game"))
            }
        except (OSError, KeyError, TypeError, ValueError) as error:
            raise StoreError("not_a_competition", f"{self.out} cannot be read: {error}") from None
        return parse_competition(text, self.out, seed=value, games=games)

    def hands(self, session: Session) -> Iterator[list[Event]]:
        """The hands of a session. Raises ``RecordError`` when its journal is damaged, ``StoreError`` when it
        is missing.
        """
        path = self.journal(session)
        if not path.is_file():
            raise StoreError("unfinished", f"{path} is missing")
        with path.open(encoding="utf-8", newline="\n") as file:
            facts, hands = read_journal(file)
            if any(facts.get(key) != value for key, value in _facts(session).items()):
                raise RecordError("bad_header", f"{path} is the journal of another session")
            try:
                yield from hands
            except UnicodeDecodeError as error:
                raise RecordError("bad_hand", f"{path} is not UTF-8: {error}") from None


def _facts(session: Session) -> dict[str, Any]:
    return {
        "line_up": session.line_up,
        "match": session.match,
        "players": list(session.players),
        "seating": session.seating,
        "session": session.name,
    }


def session_header(session: Session, game: Game) -> str:
    """The first line of a session's journal."""
    return journal_header({**_facts(session), "game": game.name, "rules": game.rules})
