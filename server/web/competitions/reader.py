"""Reads competitions: the one that runs in this process, and those in a folder of results.

Everything here reads files and may be slow, so it runs in a thread, never in two at once. Hands are
*released* when no session with the same deals is left to be played, in any division: until then they would
tell bots what they are about to be dealt.
"""

from __future__ import annotations

import json
import re
import time
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Any, Final, Literal

import msgspec

from dealer.curves import WinningsCurves
from dealer.errors import RecordError
from dealer.match import Session
from dealer.records.acpc import parse_score
from dealer.records.journal import read_journal
from dealer.rules.events import Event, event_from_data
from dealer.rules.games import parse_game
from dealer.scoring import Scores
from dealer.standings import standings_data
from server.competition.file import Competition, parse_competition
from server.competition.runner import Runner
from server.competition.schema import CompetitionEntry
from server.competition.store import CompetitionStore
from server.web import schemas
from server.web.competitions.curves import SessionFigures, curves_response, read_figures

#: Minimum seconds between updates of live standings; they also take at most a tenth of the time.
REFRESH: Final = 2.0
#: Seconds to read sessions for live standings in one update; the rest waits for the next one.
READ_SECONDS: Final = 0.5
#: Maximum number of competitions in memory.
MAX_CACHED: Final = 16
#: Bytes at the end of a log that contain its last line.
_TAIL: Final = 4096
_NAME: Final = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*")

CompetitionStatus = Literal["running", "finished", "unfinished"]
#: Number of hands, and net chips by seat.
SessionTotals = tuple[int, tuple[float, ...]]


class CompetitionReader:
    """A competition under the name of its directory. As such it knows only the plan: the competition is
    unfinished, and may be running in another process.
    """

    status: CompetitionStatus = "unfinished"

    def __init__(self, competition: Competition, store: CompetitionStore) -> None:
        self.name = store.out.name
        self.competition = competition
        self.store = store
        self._winnings: dict[str, WinningsCurves] = {}

    @property
    def commitment(self) -> str:
        """The commitment, published before the first card."""
        return str(self.store.read_json("commitment.json", dict[str, str])["commitment"])

    @property
    def at(self) -> int:
        """When it ended, or else began, in milliseconds since 1970."""
        return _at(self.store.out)

    @cached_property
    def sessions(self) -> dict[str, Session]:
        """All planned sessions by name."""
        return {session.name: session for session in self.competition.sessions}

    def result(self, session: Session) -> SessionTotals | None:
        """Return the result of a finished session, or None."""
        return None

    def is_over(self, session: Session) -> bool:
        """Return whether a session has been played."""
        return False

    def is_released(self, session: Session) -> bool:
        """Return whether the hands of a session may be viewed."""
        return False

    def places(self) -> Mapping[str, Sequence[int]]:
        """Return the finishing order, by seat, of every finished tournament."""
        return {}

    def standings(self) -> list[dict[str, Any]]:
        """Return the standings as in ``standings.json``, for divisions that have any."""
        return []

    def incidents(self) -> dict[str, dict[str, dict[str, int]]]:
        """Return the incidents as in ``incidents.json``."""
        return {}

    def counts_done(self, division: str) -> tuple[int, int]:
        """Return the sessions and hands of a division so far; a tournament counts as one hand."""
        return 0, 0

    def hands(self, session: Session, first: int, count: int) -> list[list[Event]]:
        """Return at most ``count`` hands of a session, starting with number ``first``. Raises
        ``DealerError`` and ``StoreError``.
        """
        with self.store.open_journal(session) as file:
            facts, _ = read_journal(iter([file.readline()]))
            if facts.get("session") != session.name:
                raise RecordError("bad_header", "the journal of another session")
            lines = islice(file, first, first + count)
            return [[event_from_data(event) for event in json.loads(line)] for line in lines]

    def read_figures(self, session: Session) -> SessionFigures:
        """Return the figures of a finished session. Raises ``DealerError``, ``ServerError``, ``OSError``."""
        tournament = self.competition.is_tournament(session.division)
        with self.store.open_journal(session) as file:
            found = read_figures(file, len(session.players), tournament=tournament)
        hands = len(found.nets)
        if hands != session.hands:
            raise RecordError("bad_hand", f"session {session.name} has {hands} of {session.hands} hands")
        return found

    def net_rows(self, session: Session) -> list[list[float]]:
        """Return net chips by hand and seat. Raises ``DealerError``, ``ServerError``, ``OSError``."""
        return self.read_figures(session).nets

    def finishes(self, division: str) -> dict[str, list[int]]:
        """Return how often each bot of a tournament division came first, second and so on; empty for other
        divisions.
        """
        if not self.competition.is_tournament(division):
            return {}
        planned = self.competition.divisions[division]
        found = {bot: [0] * planned.players for bot in planned.bots}
        for name, places in self.places().items():
            session = self.sessions[name]
            if session.division == division:
                for bot, place in zip(session.players, places, strict=True):
                    found[bot][place - 1] += 1
        return found

    def extend_curves(self, division: str, seconds: float) -> tuple[int, int]:
        """Add sessions to the curves of a division for about ``seconds``, at least one. Return how many
        sessions the curves include, and how many they can: those whose hands are released. Raises
        ``DealerError``, ``ServerError``, ``OSError``.
        """
        winnings = self._drawing(division)
        until = time.monotonic() + seconds
        done, total = winnings.update_released(self.is_released)
        while done < total:
            winnings.add_session(self.net_rows)
            done += 1
            if time.monotonic() >= until:
                break
        return done, total

    def curves(self, division: str, seating: int) -> schemas.CurvesResponse:
        """Return the curves as computed so far."""
        planned, unit = self.competition.divisions[division], self.competition.chips_per_unit(division)
        return curves_response(self._drawing(division), planned, seating, unit)

    def _drawing(self, division: str) -> WinningsCurves:
        if division not in self._winnings:
            plan = [session for session in self.competition.sessions if session.division == division]
            self._winnings[division] = WinningsCurves(self.competition.divisions[division], plan)
        return self._winnings[division]


class StoredCompetition(CompetitionReader):
    """A finished competition in a directory."""

    status = "finished"

    def __init__(self, out: Path) -> None:
        store = CompetitionStore(out)
        super().__init__(store.competition(), store)

    def result(self, session: Session) -> SessionTotals:
        with (self.store.out / "hands" / f"{session.name}.log").open("rb") as file:
            head = file.readline().decode()
            file.seek(max(0, file.seek(0, 2) - _TAIL))
            last = file.read().decode("utf-8", "replace").splitlines()[-1]
        return int(head.split()[-2]), parse_score(last).totals

    def is_over(self, session: Session) -> bool:
        return True

    def is_released(self, session: Session) -> bool:
        return True

    def places(self) -> Mapping[str, Sequence[int]]:
        return self._places

    @cached_property
    def _places(self) -> Mapping[str, Sequence[int]]:
        if not any(map(self.competition.is_tournament, self.competition.divisions)):
            return {}
        return self.store.read_json("places.json", dict[str, list[int]])

    def standings(self) -> list[dict[str, Any]]:
        return list(self.store.read_json("standings.json", dict[str, Any])["divisions"])

    def incidents(self) -> dict[str, dict[str, dict[str, int]]]:
        return self.store.read_json("incidents.json", dict[str, dict[str, dict[str, int]]])

    def counts_done(self, division: str) -> tuple[int, int]:
        planned = self.competition.divisions[division]
        return planned.sessions, planned.sessions * planned.hands


class RunningCompetition(CompetitionReader):
    """The competition that runs in this process."""

    status = "running"

    def __init__(self, runner: Runner) -> None:
        super().__init__(runner.competition, runner.store)
        self._progress = runner.progress
        self._left = Counter(map(self.competition.shared_deals_group, self.competition.sessions))
        self._seen = 0
        self._scores = {
            name: Scores(division, self.competition.chips_per_unit(name))
            for name, division in self.competition.divisions.items()
        }
        self._decisions: dict[str, dict[str, Counter[str]]] = {
            name: {bot: Counter() for bot in division.bots}
            for name, division in self.competition.divisions.items()
        }
        self._scored = 0
        self._standings: list[dict[str, Any]] = []
        self._due = 0.0

    @property
    def commitment(self) -> str:
        # The file is written a moment after the port is opened.
        return self.competition.commitment

    def result(self, session: Session) -> SessionTotals | None:
        return self._progress.results.get(session.name)

    def is_over(self, session: Session) -> bool:
        return session.name in self._progress.results

    def is_released(self, session: Session) -> bool:
        self._count_finished()
        return self._left[self.competition.shared_deals_group(session)] == 0

    def _count_finished(self) -> None:
        """Subtract the sessions that ended since the last call from those left of their group."""
        for name in self._names(self._seen):
            self._left[self.competition.shared_deals_group(self.sessions[name])] -= 1
            self._seen += 1

    def standings(self) -> list[dict[str, Any]]:
        begun = time.monotonic()
        fresh = self._names(self._scored) if begun >= self._due else []
        if fresh:
            for name in fresh:
                session = self.sessions[name]
                nets, decisions = self.read_figures(session)
                self._scores[session.division].add(session, nets)
                for bot, (made, forced) in zip(session.players, decisions, strict=True):
                    self._decisions[session.division][bot].update(all=made, forced=forced)
                self._scored += 1
                if time.monotonic() >= begun + READ_SECONDS:
                    break
            self._standings = [
                standings_data(
                    scores, decisions=self._decisions[name], tournament=self.competition.is_tournament(name)
                )
                for name, scores in self._scores.items()
                if scores.matches_scored
            ]
            ended = time.monotonic()
            self._due = ended + REFRESH * max(1.0, 5 * (ended - begun))
        return self._standings

    def places(self) -> Mapping[str, Sequence[int]]:
        return dict(self._progress.places)

    def incidents(self) -> dict[str, dict[str, dict[str, int]]]:
        counted = self._progress.incidents
        return {
            division: {bot: dict(kinds) for bot, kinds in bots.items()} for division, bots in counted.items()
        }

    def counts_done(self, division: str) -> tuple[int, int]:
        progress = self._progress
        sessions = progress.sessions_done[division]
        if self.competition.is_tournament(division):
            return sessions, sessions
        playing = [actor.hands for one, actor in list(progress.running.values()) if one.division == division]
        return sessions, progress.hands_done[division] + sum(playing)

    def _names(self, seen: int) -> list[str]:
        """Return the finished sessions after the first ``seen``, in the order in which they ended."""
        # A single call, because the event loop may add sessions meanwhile.
        return list(self._progress.results)[seen:]


def _stored(out: Path) -> CompetitionReader:
    """Return the competition of a directory. Raises ``OSError``, ``ValueError``."""
    if _is_finished(out):
        return StoredCompetition(out)
    games = {
        path.stem: parse_game(path.read_text(encoding="utf-8"), path.stem)
        for path in sorted((out / "games").glob("*.game"))
    }
    text = (out / "competition.toml").read_text(encoding="utf-8")
    return CompetitionReader(parse_competition(text, out, games=games), CompetitionStore(out))


def _is_finished(out: Path) -> bool:
    return (out / "standings.json").is_file()


class CompetitionCatalog:
    """All available competitions: that of ``runner``, and those in the folder ``results``."""

    def __init__(self, results: Path | None = None, runner: Runner | None = None) -> None:
        self._results = results
        self._current: CompetitionReader | None = None if runner is None else RunningCompetition(runner)
        self._loaded: dict[str, tuple[object, CompetitionReader]] = {}

    def mark_finished(self) -> None:
        """Publish everything: the results of the running competition have been written. Raises
        ``DealerError``, ``ServerError``, ``OSError``.
        """
        if self._current is not None:
            self._current = _stored(self._current.store.out)

    def find(self, name: str) -> CompetitionReader | None:
        """Return the competition with this name, or None."""
        if self._current is not None and name == self._current.name:
            return self._current
        out = self._directory(name)
        if out is None:
            return None
        stamp = [_time(out / file) for file in ("competition.toml", "standings.json")]
        known = self._loaded.get(name)
        if known is not None and known[0] == stamp:
            return known[1]
        try:
            stored = _stored(out)
        except (OSError, ValueError):
            return None
        self._loaded.pop(name, None)
        if len(self._loaded) >= MAX_CACHED:
            self._loaded.pop(next(iter(self._loaded)))
        self._loaded[name] = stamp, stored
        return stored

    def entries(self) -> list[schemas.CompetitionSummary]:
        """Return all competitions, latest first."""
        found = list(self._stored_entries())
        if self._current is not None:
            found.append(
                _entry(self._current.store.out, self._current.competition.entry, self._current.status)
            )
        return sorted(found, key=lambda entry: (entry.status != "running", -entry.at, entry.competition))

    def _stored_entries(self) -> Iterator[schemas.CompetitionSummary]:
        if self._results is None or not self._results.is_dir():
            return
        for out in self._results.iterdir():
            if self._directory(out.name) is None:
                continue
            try:
                data = tomllib.loads((out / "competition.toml").read_text(encoding="utf-8"))
                entry = msgspec.convert(data, CompetitionEntry)
            except (OSError, ValueError):
                continue
            yield _entry(out, entry, "finished" if _is_finished(out) else "unfinished")

    def _directory(self, name: str) -> Path | None:
        if self._results is None or not _NAME.fullmatch(name):
            return None
        out = self._results / name
        return out if (out / "competition.toml").is_file() else None


def _entry(out: Path, entry: CompetitionEntry, status: CompetitionStatus) -> schemas.CompetitionSummary:
    return schemas.CompetitionSummary(
        competition=out.name,
        name=entry.name,
        status=status,
        at=_at(out),
        bots=[bot.name for bot in entry.bots],
        divisions=[division.name for division in entry.divisions],
    )


def _at(out: Path) -> int:
    return (_time(out / "standings.json") or _time(out / "competition.toml")) // 1_000_000


def _time(path: Path) -> int:
    """Return when a file was written, in nanoseconds since 1970; 0 if it does not exist."""
    try:
        return path.stat().st_mtime_ns
    except OSError:
        return 0
