"""The directory of a competition: which files are written, when, and how they are read back.

    state.db                      during play and afterwards: everything that must not be lost
    competition.toml, games/      the competition file and the game definitions
    commitment.json               before the first card: the hash of the seed
    hands/DIVISION/SESSION.jsonl  the journal: every hand as soon as it is over
    seed.json                     after the last card: the seed
    hands/DIVISION/SESSION.log    the same hands in the format of the ACPC dealer
    hands/DIVISION/SESSION.phhs   and as Poker Hand Histories (hold'em only)
    names.json                    what sessions and players were called during play, if that was hidden
    places.json                   tournaments only: the finishing order of each session, by seat
    incidents.json                counted incidents, by division and bot
    standings.json, standings.md  the result
    logs/                         logs of the server and the bots, with times; hands of cut sessions

While an anonymous competition is played, or one with bots that could remember, its files have other names
(``server.competition.aliases``).

Everything but ``state.db`` and ``logs`` is a function of the competition file, the seed and the bots'
answers: a rerun writes the same bytes, and so does a competition that was killed and resumed.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, Annotated, Any, Final, NoReturn, TypeVar

import msgspec
from msgspec import Meta, structs

from dealer.deck import seed_bytes
from dealer.errors import RecordError
from dealer.luck.value import shipped_value
from dealer.match import Session
from dealer.records.journal import journal_header, read_journal
from dealer.rules.events import Event
from dealer.rules.games import Game, parse_game
from server.competition.aliases import journal_name, reveal_names
from server.competition.file import Competition, CompetitionError, parse_competition
from server.competition.progress import CompetitionProgress
from server.competition.results import final_files, initial_files
from server.errors import ServerError
from server.storage.competition_state import CompetitionState, OpenStates, SessionOutcome, SessionRecorder
from server.storage.locks import open_locked
from server.storage.sqlite import NEW_STATE_DB_NAME, STATE_DB_NAME, StateError, create

_Shape = TypeVar("_Shape")
_texts = msgspec.json.Decoder(dict[str, str]).decode
_hashes = msgspec.json.Decoder(dict[str, Annotated[str, Meta(pattern="^[0-9a-f]{64}$")]]).decode

#: The files that show that a competition is finished.
_FINAL_FILES: Final = (
    *("standings.md", "standings.json", "incidents.json", "places.json", "names.json", "seed.json"),
)


class StoreError(ServerError):
    """The directory cannot be used.

    ``out_exists``; ``not_a_competition``; ``unfinished``; ``in_use`` by another process;
    ``other_competition``: it holds another competition than the file; ``other_value_function``: its results
    without luck are by another one than pokerd has; ``two_directories``: two different ones were given;
    ``chosen_line_ups``: no bot can be added to a division that plays only some line-ups.
    """


def free_directory(path: Path) -> Path:
    """Return ``path``, with -2, -3, ... appended if it exists."""
    candidate = path
    number = 2
    while candidate.exists():
        candidate = path.with_name(f"{path.name}-{number}")
        number += 1
    return candidate


class CompetitionStore:
    """The directory of one competition. While it is open, its state is one of ``open_states``. ``failed`` is
    set when hands can no longer be stored.
    """

    def __init__(
        self, out: Path, open_states: OpenStates | None = None, failed: asyncio.Event | None = None
    ) -> None:
        self.out = out
        self.open_states = OpenStates() if open_states is None else open_states
        self.failed = asyncio.Event() if failed is None else failed
        self._state: CompetitionState | None = None
        #: The descriptor that keeps the directory locked, also for processes that inherit it.
        self.lock = -1
        self._finished = False
        #: The competition in play: its files have the names of ``server.competition.aliases``.
        self._in_play: Competition | None = None

    @property
    def state(self) -> CompetitionState:
        """The durable state. The store must be open."""
        assert self._state is not None
        return self._state

    @property
    def loaded(self) -> bool:
        """Whether ``load`` found a competition to resume."""
        return self._state is not None

    @property
    def failure(self) -> Exception | None:
        """The error because of which nothing can be stored any more, if any."""
        return None if self._state is None else self._state.failure

    async def wait_for_failure(self) -> NoReturn:
        """Wait until nothing can be stored any more, and raise ``StateError`` (``not_stored``)."""
        await self.failed.wait()
        raise StateError("not_stored", f"{self.state.path} cannot be written: {self.failure}")

    # Writing.

    def verify_free(self) -> None:
        """Raise ``StoreError`` (``out_exists``) unless the directory is new or empty."""
        if not self.out.exists():
            return
        if not self.out.is_dir():
            raise StoreError("out_exists", f"{self.out} is not a directory")
        there = sorted(path.name for path in self.out.iterdir() if path.name != NEW_STATE_DB_NAME)
        if there:
            raise StoreError(
                "out_exists", f"{self.out} is not empty (it has {there[0]}); choose another directory"
            )

    def open(self, competition: Competition, text: str) -> None:
        """Begin a competition: write its seed, file, games and commitment. Raises ``StoreError``
        (``out_exists``, ``in_use``).
        """
        self.verify_free()
        self.out.mkdir(parents=True, exist_ok=True)
        self._lock_directory()
        # Check again: another process may have written here before the lock was taken.
        self.verify_free()
        deck, seed = competition.entry.deck, competition.seed_text
        create(
            self.out / STATE_DB_NAME, {"deck": deck, "seed": seed, **_competition_facts(competition, text)}
        )
        os.fsync(self.lock)
        self._open_state().prepare()
        self._write_initial_files(competition, text)

    def load(self) -> tuple[Competition, str]:
        """Load a competition that was begun before. Return it, with its seed and the hashes of its tokens,
        and the text of its file. ``resume`` or ``close`` must follow. Raises ``StateError``,
        ``CompetitionError`` and ``StoreError`` (``not_a_competition``, ``in_use``, ``other_value_function``).
        """
        if not (self.out / STATE_DB_NAME).is_file():
            raise StoreError(
                "not_a_competition", f"{self.out} has no {STATE_DB_NAME}, so it cannot be resumed"
            )
        self._lock_directory()
        try:
            return self._load_competition(self._open_state().facts())
        except BaseException:
            self.close()
            raise

    def join(self) -> Competition:
        """Open the directory of a competition that the parent process plays, and return the competition. The
        parent has locked the directory. ``close`` must follow. Raises ``StateError`` and ``StoreError``.
        """
        self._state = CompetitionState(self.out / STATE_DB_NAME, on_failure=self.failed.set, shared=True)
        self.open_states.add(self._state)
        self._in_play, _ = self._load_competition(self._state.facts())
        return self._in_play

    def _load_competition(self, facts: Mapping[str, str]) -> tuple[Competition, str]:
        try:
            text, seed = facts["file"], seed_from_facts(facts)
            hashes = _hashes(facts.get("token_hashes", "{}"))
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
            raise self.state.damage_error("its games do not match its divisions")
        if facts["deck"] != entry.deck or competition.file_seed not in (None, seed):
            raise self.state.damage_error("its seed does not match its competition file")
        self._verify_commitment(competition)
        return Competition(structs.replace(entry, bots=bots), self.out, seed, games), text

    def _verify_commitment(self, competition: Competition) -> None:
        """Refuse to deal other cards, and to take luck out otherwise, than was committed to. Raises
        ``StateError`` and ``StoreError`` (``other_value_function``).
        """
        try:
            promised = self.read_json("commitment.json", dict[str, str])
        except StoreError:  # an unreadable file commits to nothing and is written anew
            return
        if promised.get("commitment") != competition.commitment:
            raise self.state.damage_error("its seed does not match commitment.json")
        if promised.get("value_function", shipped_value().digest) != shipped_value().digest:
            raise StoreError(
                "other_value_function",
                f"{self.out} was begun by a pokerd with another value function; go on with that one",
            )

    def resume(self, competition: Competition, text: str) -> None:
        """Resume the competition that ``load`` returned, or an extension of it: cut the sessions in progress
        and rewrite everything that follows from the state. Raises ``StateError``; if the state is damaged,
        nothing was changed.
        """
        sessions = {session.name: session for session in competition.sessions}
        for attempt, _ in self.state.journals():
            if attempt.session not in sessions:
                raise self.state.damage_error(f"there is no session {attempt.session}")
        self.state.prepare()
        self.state.set_facts({**_competition_facts(competition, text), "finished": ""})
        self.state.abort_unfinished()
        for name in _FINAL_FILES:
            (self.out / name).unlink(missing_ok=True)
        self._write_initial_files(competition, text)
        self._write_journals(sessions, competition)

    def cut(self, session: Session) -> None:
        """Cut the attempt in progress at a session, if any: its process has ended. Raises ``StateError``
        (``not_stored``).
        """
        self.state.abort_session(session.name)
        self.journal_path(session).unlink(missing_ok=True)

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
        """Return the recorder of a new session. Raises ``StateError`` (``not_stored``)."""
        return SessionRecorder(self.state, session, self.journal_path(session), session_header(session, game))

    def save_sessions(
        self,
        competition: Competition,
        played: Sequence[tuple[Session, Sequence[str], SessionOutcome]],
        connections: Mapping[str, Mapping[str, int]],
    ) -> None:
        """Store the sessions of a series that was played elsewhere, with the lines of their hands. Raises
        ``StateError`` (``not_stored``).
        """
        for session, lines, _ in played:
            header = session_header(session, competition.format(session).game)
            self._write_if_changed(f"hands/{self._journal_name(session)}.jsonl", header + "".join(lines))
        self.state.save_sessions(
            [(session.name, lines, outcome) for session, lines, outcome in played], connections
        )

    def finish(self, competition: Competition, progress: CompetitionProgress) -> None:
        """Finish the competition: reveal the seed, write the logs in other formats and the standings, and
        forget the tokens. ``progress`` counts the sessions that are scored.
        """
        reveal_names(competition, self.out)
        self._in_play = None

        def hands_of(session: Session) -> list[list[Event]]:
            progress.scored += 1
            return list(self.hands(session))

        for name, text in final_files(competition, hands_of, progress.incidents, progress.places):
            self._write(name, text)
        self.state.set_facts({"token_hashes": "", "finished": "yes"})
        self._finished = True

    def close(self) -> None:
        """Release the directory."""
        state, self._state = self._state, None
        if state is not None:
            self.open_states.remove(state)
            state.close(single_file=self._finished)
        if self.lock >= 0:
            os.close(self.lock)
            self.lock = -1

    def _open_state(self) -> CompetitionState:
        self._state = CompetitionState(self.out / STATE_DB_NAME, on_failure=self.failed.set)
        self.open_states.add(self._state)
        return self._state

    def _lock_directory(self) -> None:
        """Keep other processes from playing here until ``close`` or the end of this process."""
        in_use = StoreError("in_use", f"{self.out} is being played by another process")
        self.lock = open_locked(self.out, in_use)

    def _write(self, name: str, text: str) -> None:
        path = self.out / name
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8", newline="\n")
        except OSError as error:
            raise StateError("not_stored", f"{path} cannot be written: {error}") from None

    def _write_if_changed(self, name: str, text: str) -> None:
        """Write a file unless it already has this content."""
        path = self.out / name
        with suppress(OSError):
            if path.read_bytes() == text.encode():
                return
        self._write(name, text)

    # Reading.

    def journal_path(self, session: Session) -> Path:
        """Return the path of a session's journal."""
        return self.out / "hands" / f"{self._journal_name(session)}.jsonl"

    def open_journal(self, session: Session) -> IO[str]:
        """Open a session's journal for reading. Raises ``StoreError`` if it is missing."""
        # ``reveal_names`` may rename it at any moment.
        for path in (self.journal_path(session), self.out / "hands" / f"{session.name}.jsonl"):
            with contextlib.suppress(FileNotFoundError):
                return path.open(encoding="utf-8", newline="\n")
        raise StoreError("unfinished", f"{path} is missing")

    def _journal_name(self, session: Session) -> str:
        return session.name if self._in_play is None else journal_name(self._in_play, session)

    def read_json(self, name: str, shape: type[_Shape]) -> _Shape:
        """Return the content of a JSON file. Raises ``StoreError``, also if it has another shape."""
        try:
            return msgspec.json.decode((self.out / name).read_bytes(), type=shape)
        except OSError:
            code = "unfinished" if (self.out / "competition.toml").exists() else "not_a_competition"
            raise StoreError(code, f"{self.out} has no {name}") from None
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise StoreError("not_a_competition", f"{self.out / name} cannot be read: {error}") from None

    def competition(self) -> Competition:
        """Return the competition with its revealed seed. Raises ``StoreError`` and ``CompetitionError``."""
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
        """Yield the hands of a session. Raises ``RecordError``, which names the file, if its journal is
        damaged, ``StoreError`` if it is missing.
        """
        with self.open_journal(session) as file:
            path = file.name
            try:
                facts, hands = read_journal(file)
                if any(facts.get(key) != value for key, value in _session_facts(session).items()):
                    raise RecordError("bad_header", "this is the journal of another session")
                yield from hands
            except RecordError as error:
                raise RecordError(error.code, f"{path}: {error}") from error
            except UnicodeDecodeError as error:
                raise RecordError("bad_hand", f"{path} is not UTF-8: {error}") from None


def seed_from_facts(facts: Mapping[str, str]) -> bytes | int:
    """Return the seed from the facts ``deck`` and ``seed``. Raises ``KeyError`` and ``ValueError``."""
    value = int(facts["seed"]) if facts["deck"] == "acpc" else bytes.fromhex(facts["seed"])
    seed_bytes(value)
    return value


def _competition_facts(competition: Competition, text: str) -> dict[str, str]:
    """Return the facts, other than deck and seed, that ``load`` needs."""
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
    """Return the first line of a session's journal."""
    return journal_header({**_session_facts(session), "game": game.name, "rules": game.rules})
