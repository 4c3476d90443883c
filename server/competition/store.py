"""A competition's directory: what is written, when, and how it is read back.

    state.db                      while it is played, and after: all that must not be lost
    competition.toml, games/      the competition file and its games' definitions
    commitment.json               before the first card: the hash of the seed
    hands/DIVISION/SESSION.jsonl  every hand, as it is finished
    seed.json                     after the last card: the seed
    hands/DIVISION/SESSION.log    the same hands as the ACPC dealer logs them
    hands/DIVISION/SESSION.phhs   and as Poker Hand Histories (hold'em only)
    places.json                   tournaments only: each session's finishing order, by seat
    incidents.json                what went wrong, by division and bot
    standings.json, standings.md  the result
    logs/                         the server's and the bots' own words, with times; hands of cut sessions

While an anonymous competition is played, or one whose bots could remember, its sessions have other names
here (``server.competition.aliases``).

All but ``state.db`` and ``logs`` is a function of competition file, seed and the bots' answers: a rerun gives
the same bytes, and so does one that was killed and went on.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import IO, Annotated, Any, Final, TypeVar

import msgspec
from msgspec import Meta, structs

from dealer.deck import seed_bytes
from dealer.errors import RecordError
from dealer.match import Session
from dealer.records.journal import hand_line, journal_header, read_journal
from dealer.rules.events import Event
from dealer.rules.games import Game, parse_game
from server.auth.tokens import hash_token
from server.competition.aliases import journal_name, reveal_names
from server.competition.file import Competition, CompetitionError, parse_competition
from server.competition.results import final_files, initial_files
from server.competition.state import CompetitionState, SessionOutcome
from server.errors import ServerError
from server.storage.locks import open_locked
from server.storage.sqlite import NEW_STATE_DB_NAME, STATE_DB_NAME, StateError, create
from server.telemetry.incidents import IncidentCounts

_Shape = TypeVar("_Shape")
_texts = msgspec.json.Decoder(dict[str, str]).decode
_hashes = msgspec.json.Decoder(dict[str, Annotated[str, Meta(pattern="^[0-9a-f]{64}$")]]).decode

__all__ = ["SessionRecorder", "Store", "StoreError", "free_directory", "seed_from_facts", "session_header"]

#: What says that a competition is finished.
_FINAL_FILES: Final = ("standings.md", "standings.json", "incidents.json", "places.json", "seed.json")


class StoreError(ServerError):
    """The directory cannot be used: ``out_exists``, ``not_a_competition``, ``unfinished``, ``in_use`` by
    another process, ``other_competition`` than the one of the file, ``two_directories`` are named, or
    ``chosen_line_ups``: no bot can be added where not all line-ups play.
    """


def free_directory(path: Path) -> Path:
    """``path``, or with -2, -3, ... after it if that exists."""
    candidate = path
    number = 2
    while candidate.exists():
        candidate = path.with_name(f"{path.name}-{number}")
        number += 1
    return candidate


class SessionRecorder:
    """Keeps the hands of one attempt at a session, and writes its journal, hand by hand."""

    def __init__(self, state: CompetitionState, session: Session, path: Path, header: str) -> None:
        self.attempt = state.begin_attempt(session.name)
        self._state = state
        self._digest = sha256()
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file: IO[str] = path.open("w", encoding="utf-8", newline="\n")
            self._file.write(header)
        except OSError as error:
            state.mark_failed(error)
            raise StateError("not_stored", f"{path} cannot be written: {error}") from None

    def hand(self, events: Sequence[Event]) -> None:
        """Append one hand."""
        line = hand_line(events)
        self._state.add_hand(self.attempt, line)
        self._digest.update(line.encode())
        try:
            self._file.write(line)
        except OSError as error:
            self._state.mark_failed(error)

    def close(self) -> str:
        """No more hands. Returns the SHA-256 of their lines."""
        try:
            self._file.close()
        except OSError as error:
            self._state.mark_failed(error)
        return self._digest.hexdigest()


class Store:
    """The directory of one competition."""

    def __init__(self, out: Path) -> None:
        self.out = out
        self._state: CompetitionState | None = None
        self._lock = -1
        self._finished = False
        #: What is being played: its files have the names of ``server.competition.aliases``.
        self._in_play: Competition | None = None

    @property
    def state(self) -> CompetitionState:
        """What must not be lost. The store must be open."""
        assert self._state is not None
        return self._state

    @property
    def loaded(self) -> bool:
        """Whether ``load`` found a competition here, which is gone on with."""
        return self._state is not None

    def commit(self) -> bool:
        """Store all that was recorded; whether it is stored. A store that is closed has nothing to store."""
        return self._state is None or self._state.commit()

    @property
    def failure(self) -> Exception | None:
        """Why nothing can be stored any more."""
        return None if self._state is None else self._state.failure

    # Writing.

    def verify_free(self) -> None:
        """Raises ``StoreError`` (``out_exists``) unless the directory is new or empty."""
        if not self.out.exists():
            return
        if not self.out.is_dir():
            raise StoreError("out_exists", f"{self.out} is not a directory")
        there = sorted(path.name for path in self.out.iterdir() if path.name != NEW_STATE_DB_NAME)
        if there:
            raise StoreError(
                "out_exists", f"{self.out} is not empty ({there[0]} is there); name another directory"
            )

    def open(self, competition: Competition, text: str) -> None:
        """Begin: the seed, the competition, its games and the commitment. Raises ``StoreError``
        (``out_exists``, ``in_use``).
        """
        self.verify_free()
        self.out.mkdir(parents=True, exist_ok=True)
        self._lock_directory()
        # Nor has another one been here meanwhile.
        self.verify_free()
        deck, seed = competition.entry.deck, competition.seed_text
        create(
            self.out / STATE_DB_NAME, {"deck": deck, "seed": seed, **_competition_facts(competition, text)}
        )
        os.fsync(self._lock)
        self._state = CompetitionState(self.out / STATE_DB_NAME)
        self._state.prepare()
        self._write_initial_files(competition, text)

    def load(self) -> tuple[Competition, str]:
        """Take up what was begun before: the competition with its seed and the hashes of its tokens, and the
        text of its file. ``resume`` or ``close`` must follow. Raises ``StoreError`` (``not_a_competition``,
        ``in_use``), ``StateError`` and ``CompetitionError``.
        """
        if not (self.out / STATE_DB_NAME).is_file():
            raise StoreError(
                "not_a_competition", f"{self.out} has no {STATE_DB_NAME}: nothing can be continued"
            )
        self._lock_directory()
        try:
            self._state = CompetitionState(self.out / STATE_DB_NAME)
            return self._load_competition(self._state.facts())
        except BaseException:
            self.close()
            raise

    def _load_competition(self, facts: Mapping[str, str]) -> tuple[Competition, str]:
        try:
            text, seed = facts["file"], seed_from_facts(facts)
            hashes = _hashes(facts.get("token_hashes", "{}"))
            # Earlier versions kept the tokens themselves.
            hashes |= {bot: hash_token(token) for bot, token in _texts(facts.get("tokens", "{}")).items()}
            games = {name: parse_game(game, name) for name, game in _texts(facts["games"]).items()}
        except KeyError as error:
            raise self.state.damage_error(f"the fact {error} is missing") from None
        except ValueError as error:
            raise self.state.damage_error(error) from None
        try:
            competition = parse_competition(text, self.out, seed=seed, games=games)
        except CompetitionError as error:
            raise CompetitionError(error.code, f"{self.state.path}: its competition file: {error}") from None
        entry = competition.entry
        bots = [
            structs.replace(bot, token=None, token_hash=hashes[bot.name]) if bot.name in hashes else bot
            for bot in entry.bots
        ]
        if "finished" not in facts and any(bot.token is not None for bot in bots):
            raise self.state.damage_error("the hash of a token is missing")
        if games.keys() != competition.games.keys():
            raise self.state.damage_error("its games are not those of its divisions")
        if facts["deck"] != entry.deck or competition.file_seed not in (None, seed):
            raise self.state.damage_error("its seed is not that of its competition")
        self._verify_commitment(competition)
        return Competition(structs.replace(entry, bots=bots), self.out, seed, games), text

    def _verify_commitment(self, competition: Competition) -> None:
        """Other cards than those that were committed to are not dealt. Raises ``StateError``."""
        with suppress(StoreError):  # one that cannot be read promises nothing, and is made anew
            promised = self.read_json("commitment.json", dict[str, str]).get("commitment")
            if promised != competition.commitment:
                raise self.state.damage_error("its seed is not the one that commitment.json commits to")

    def resume(self, competition: Competition, text: str) -> None:
        """Go on with a competition that ``load`` gave, or one that has more in it: sessions in progress are
        cut, and everything that can be made of the state is. Raises ``StateError``; if it is damaged,
        nothing was changed.
        """
        sessions = {session.name: session for session in competition.sessions}
        for attempt, _ in self.state.journals():
            if attempt.session not in sessions:
                raise self.state.damage_error(f"there is no session {attempt.session}")
        self.state.prepare()
        self.state.set_facts({**_competition_facts(competition, text), "tokens": "", "finished": ""})
        self.state.abort_unfinished()
        for name in _FINAL_FILES:
            (self.out / name).unlink(missing_ok=True)
        self._write_initial_files(competition, text)
        self._write_journals(sessions, competition)

    def _write_journals(self, sessions: Mapping[str, Session], competition: Competition) -> None:
        done = {attempt.session for attempt in self.state.attempts() if attempt.state == "done"}
        for attempt, lines in self.state.journals():
            session = sessions[attempt.session]
            journal = session_header(session, competition.format(session).game) + "".join(lines)
            if attempt.state == "done":
                self._write_if_changed(f"hands/{self._journal_name(session)}.jsonl", journal)
                continue
            self._write_if_changed(f"logs/cut/{self._journal_name(session)}-{attempt.number}.jsonl", journal)
            if session.name not in done:
                self.journal_path(session).unlink(missing_ok=True)

    def _write_initial_files(self, competition: Competition, text: str) -> None:
        self._in_play = competition
        self._write_if_changed("competition.toml", text)
        for name, made in initial_files(competition):
            self._write_if_changed(name, made)

    def begin_session(self, session: Session, game: Game) -> SessionRecorder:
        """The recorder of a session that begins. Raises ``StateError`` (``not_stored``)."""
        return SessionRecorder(self.state, session, self.journal_path(session), session_header(session, game))

    def save_session(
        self,
        session: Session,
        game: Game,
        lines: Sequence[str],
        outcome: SessionOutcome,
        connections: Mapping[str, Mapping[str, int]],
    ) -> None:
        """Keep a session that was played elsewhere. Raises ``StateError`` (``not_stored``)."""
        self._write_if_changed(
            f"hands/{self._journal_name(session)}.jsonl", session_header(session, game) + "".join(lines)
        )
        self.state.save_session(session.name, lines, outcome, connections)

    def finish(
        self, competition: Competition, incidents: IncidentCounts, places: Mapping[str, Sequence[int]]
    ) -> None:
        """All is played: reveal the seed, write the logs in the formats of others, and the standings. Tokens
        are forgotten.
        """
        reveal_names(competition, self.out)
        self._in_play = None
        for name, text in final_files(competition, lambda one: list(self.hands(one)), incidents, places):
            self._write(name, text)
        self.state.set_facts({"token_hashes": "", "finished": "yes"})
        self._finished = True

    def close(self) -> None:
        """Let go of the directory."""
        if self._state is not None:
            self._state.close(single_file=self._finished)
            self._state = None
        if self._lock >= 0:
            os.close(self._lock)
            self._lock = -1

    def _lock_directory(self) -> None:
        """Keep other processes from playing here, until ``close`` or the end of this one."""
        in_use = StoreError("in_use", f"{self.out} is being played by another process")
        self._lock = open_locked(self.out, in_use)

    def _write(self, name: str, text: str) -> None:
        path = self.out / name
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8", newline="\n")
        except OSError as error:
            raise StateError("not_stored", f"{path} cannot be written: {error}") from None

    def _write_if_changed(self, name: str, text: str) -> None:
        """Write a file unless it is as it should be."""
        path = self.out / name
        with suppress(OSError):
            if path.read_bytes() == text.encode():
                return
        self._write(name, text)

    # Reading.

    def journal_path(self, session: Session) -> Path:
        """Where a session's journal is."""
        return self.out / "hands" / f"{self._journal_name(session)}.jsonl"

    def _open_journal(self, session: Session) -> IO[str]:
        # While it is looked for, all may come to an end: then it gets the name of the session.
        for path in (self.journal_path(session), self.out / "hands" / f"{session.name}.jsonl"):
            with contextlib.suppress(FileNotFoundError):
                return path.open(encoding="utf-8", newline="\n")
        raise StoreError("unfinished", f"{path} is missing")

    def _journal_name(self, session: Session) -> str:
        return session.name if self._in_play is None else journal_name(self._in_play, session)

    def read_json(self, name: str, shape: type[_Shape]) -> _Shape:
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
        seed = self.read_json("seed.json", dict[str, str])
        try:
            text = (self.out / "competition.toml").read_text(encoding="utf-8")
            value = seed_from_facts(seed)
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
        with self._open_journal(session) as file:
            path = file.name
            facts, hands = read_journal(file)
            if any(facts.get(key) != value for key, value in _session_facts(session).items()):
                raise RecordError("bad_header", f"{path} is the journal of another session")
            try:
                yield from hands
            except UnicodeDecodeError as error:
                raise RecordError("bad_hand", f"{path} is not UTF-8: {error}") from None


def seed_from_facts(facts: Mapping[str, str]) -> bytes | int:
    """The seed as it was written down, from ``deck`` and ``seed``. Raises ``KeyError`` and ``ValueError``."""
    value = int(facts["seed"]) if facts["deck"] == "acpc" else bytes.fromhex(facts["seed"])
    seed_bytes(value)
    return value


def _competition_facts(competition: Competition, text: str) -> dict[str, str]:
    """What ``load`` needs of a competition besides its seed."""
    hashes = {bot.name: bot.secret for bot in competition.entry.bots if bot.remote}
    games = {name: game.text() for name, game in competition.games.items()}
    return {"file": text, "token_hashes": json.dumps(hashes), "games": json.dumps(games)}


def _session_facts(session: Session) -> dict[str, Any]:
    return {
        "line_up": session.line_up,
        "match": session.match,
        "players": list(session.players),
        "seating": session.seating,
        "session": session.name,
    }


def session_header(session: Session, game: Game) -> str:
    """The first line of a session's journal."""
    return journal_header({**_session_facts(session), "game": game.name, "rules": game.rules})
