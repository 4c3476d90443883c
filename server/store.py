"""A competition's directory: what is written, when, and how it is read back.

    competition.toml, games/      the competition file and its games' definitions
    commitment.json               before the first card: the hash of the seed
    hands/DIVISION/SESSION.jsonl  every hand, as it is finished
    seed.json                     after the last card: the seed
    hands/DIVISION/SESSION.log    the same hands as the ACPC dealer logs them
    hands/DIVISION/SESSION.phhs   and as Poker Hand Histories (hold'em only)
    places.json                   tournaments only: each session's finishing order, by seat
    incidents.json                refusals, timeouts and disconnections by division and bot
    standings.json, standings.md  the result
    logs/                         the server's and the bots' own words, with times

All but ``logs`` is a function of competition file, seed and the bots' answers: a rerun gives the same bytes.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, Any

from dealer.deck import acpc_match_seed
from dealer.errors import DealerError, RecordError
from dealer.match import Division, Session
from dealer.records.acpc import AcpcLog, log_header
from dealer.records.journal import hand_line, journal_header, read_journal
from dealer.records.phh import phh_hand, verify_phh
from dealer.rules.events import Event, HandEnded, HandStarted
from dealer.rules.games import Game, parse_game
from dealer.scoring import Scores
from dealer.standings import standings_data, standings_markdown
from server.competition_file import Competition, parse_competition

__all__ = [
    "Incidents",
    "SessionRecorder",
    "Store",
    "StoreError",
    "exports",
    "free_directory",
    "scores",
    "standings",
]

#: Division, bot, kind of incident, how often. The division "" holds what belongs to a connection and to no
#: table.
Incidents = Mapping[str, Mapping[str, Mapping[str, int]]]


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

    def open(self, competition: Competition, text: str) -> None:
        """Begin: the competition, its games and the commitment. Raises ``StoreError`` (``out_exists``)."""
        if (self.out / "competition.toml").exists() or (self.out / "hands").exists():
            raise StoreError("out_exists", f"{self.out} holds a competition already; name another directory")
        (self.out / "games").mkdir(parents=True, exist_ok=True)
        for division, game in competition.games.items():
            (self.out / "games" / f"{division}.game").write_text(game.text(), encoding="utf-8")
        (self.out / "competition.toml").write_text(text, encoding="utf-8")
        self._json("commitment.json", {"commitment": competition.commitment, "deck": competition.entry.deck})

    def session(self, session: Session, game: Game) -> SessionRecorder:
        """The recorder of a session that begins."""
        return SessionRecorder(self.path(session, ".jsonl"), _header(session, game))

    def finish(
        self, competition: Competition, incidents: Incidents, places: Mapping[str, Sequence[int]]
    ) -> None:
        """All is played: reveal the seed, write the logs in the formats of others, and the standings."""
        self._json("seed.json", {"deck": competition.entry.deck, "seed": competition.seed_text})
        self._json("incidents.json", incidents)
        if places:
            self._json("places.json", places)
        for session in competition.sessions:
            for suffix, text in exports(competition, session, list(self.hands(session))):
                self.path(session, suffix).write_text(text, encoding="utf-8", newline="\n")
        for name, text in standings(competition, self, incidents):
            (self.out / name).write_text(text, encoding="utf-8", newline="\n")

    def _json(self, name: str, data: Any) -> None:
        text = json.dumps(data, indent=1, sort_keys=True) + "\n"
        (self.out / name).write_text(text, encoding="utf-8", newline="\n")

    # Reading.

    def path(self, session: Session, suffix: str) -> Path:
        """Where a session's record is."""
        return self.out / "hands" / f"{session.name}{suffix}"

    def read(self, name: str) -> Any:
        """One of the JSON files. Raises ``StoreError``."""
        try:
            return json.loads((self.out / name).read_text(encoding="utf-8"))
        except FileNotFoundError:
            code = "unfinished" if (self.out / "competition.toml").exists() else "not_a_competition"
            raise StoreError(code, f"{self.out} has no {name}") from None
        except ValueError as error:
            raise StoreError("not_a_competition", f"{self.out / name} is not JSON: {error}") from None

    def competition(self) -> Competition:
        """The competition with its revealed seed. Raises ``StoreError`` and ``CompetitionError``."""
        seed = self.read("seed.json")
        try:
            text = (self.out / "competition.toml").read_text(encoding="utf-8")
            value = int(seed["seed"]) if seed["deck"] == "acpc" else bytes.fromhex(seed["seed"])
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
        path = self.path(session, ".jsonl")
        if not path.is_file():
            raise StoreError("unfinished", f"{path} is missing")
        with path.open(encoding="utf-8", newline="\n") as file:
            facts, hands = read_journal(file)
            if facts.get("session") != session.name or facts.get("players") != list(session.players):
                raise RecordError("bad_header", f"{path} is the journal of another session")
            yield from hands


def _header(session: Session, game: Game) -> str:
    return journal_header(
        {
            "game": game.name,
            "line_up": session.line_up,
            "match": session.match,
            "players": list(session.players),
            "rules": game.rules,
            "seating": session.seating,
            "session": session.name,
        }
    )


def exports(
    competition: Competition, session: Session, hands: Sequence[Sequence[Event]]
) -> Iterator[tuple[str, str]]:
    """The hands of a session in the formats of others, as (suffix, text)."""
    game = competition.games[session.division]
    seed = acpc_match_seed(competition.seed, session.match) if isinstance(competition.seed, int) else 0
    log = AcpcLog(game, session.players)
    lines = [log_header(session.name, f"{session.division}.game", len(hands), seed)]
    lines += [log.hand(events) for events in hands]
    lines.append(log.score().text())
    yield ".log", "".join(lines)
    try:
        verify_phh(game)
    except RecordError:
        return
    table = session.name
    phhs = (phh_hand(i, events, _played(game, events, competition, session), session.players, table=table)
            for i, events in enumerate(hands, 1))  # fmt: skip
    yield ".phhs", "".join(phhs)


def _played(game: Game, events: Sequence[Event], competition: Competition, session: Session) -> Game:
    """The game of one hand: at cash tables and in tournaments players and blinds change."""
    table = competition.division(session.division).table
    started = events[0]
    assert isinstance(started, HandStarted)
    if table is None:
        return game
    return competition.stakes_at(session.division, started).game(len(started.seats))


def nets(competition: Competition, session: Session, hands: Iterator[list[Event]]) -> list[list[float]]:
    """Net chips by hand and seat; for a tournament, one row: what each seat won or lost in all."""
    rows = [_by_seat(events, len(session.players)) for events in hands]
    table = competition.division(session.division).table
    if table is not None and table.mode == "tournament":
        return [[sum(column) for column in zip(*rows, strict=True)]]
    return rows


def _by_seat(events: Sequence[Event], seats: int) -> list[float]:
    started, ended = events[0], events[-1]
    assert isinstance(started, HandStarted)
    assert isinstance(ended, HandEnded)
    row: list[float] = [0] * seats
    for seat, value in zip(started.seats, ended.values, strict=True):
        row[seat] = value
    return row


def scores(competition: Competition, store: Store, division: Division) -> Scores:
    """The results of a division from its hand records."""
    result = Scores(division, competition.unit(division.name))
    for session in competition.sessions:
        if session.division == division.name:
            result.add(session, nets(competition, session, store.hands(session)))
    return result


def standings(competition: Competition, store: Store, incidents: Incidents) -> Iterator[tuple[str, str]]:
    """``standings.json`` and ``standings.md`` as (name, text)."""
    data: dict[str, Any] = {
        "competition": competition.name,
        "connections": {bot: dict(counts) for bot, counts in incidents.get("", {}).items() if counts},
        "divisions": [
            standings_data(
                scores(competition, store, division),
                _counted(incidents.get(name, {})),
                tournament=competition.tournament(name),
            )
            for name, division in competition.divisions.items()
        ],
    }
    yield "standings.json", json.dumps(data, indent=1) + "\n"
    parts = [f"# {competition.name}\n", *map(standings_markdown, data["divisions"])]
    yield "standings.md", "\n".join(parts)


_KNOWN = ("timeout", "absent", "disconnect", "gone", "no_show", "start_failed", "crash")


def _counted(incidents: Mapping[str, Mapping[str, int]]) -> dict[str, dict[str, int]]:
    """Incidents as the standings tell them. Any other kind is the code of a refusal."""
    counted = {}
    for bot, kinds in incidents.items():
        refusals = sum(count for kind, count in kinds.items() if kind not in _KNOWN)
        counted[bot] = {
            "timeouts": kinds.get("timeout", 0),
            "refusals": refusals,
            "disconnections": kinds.get("disconnect", 0),
            "policy_actions": kinds.get("timeout", 0) + kinds.get("absent", 0),
            **{kind: kinds[kind] for kind in ("crash", "no_show", "start_failed") if kinds.get(kind)},
        }
    return counted
