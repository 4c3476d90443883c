"""What is made of finished hands: records in the formats of others, scores, and the standings."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from dealer.deck import acpc_match_seed
from dealer.errors import RecordError
from dealer.match import Session
from dealer.records.acpc import AcpcLog, log_header
from dealer.records.phh import phh_hand, verify_phh
from dealer.rules.events import Event, HandEnded, HandStarted
from dealer.rules.games import Game
from dealer.scoring import Scores
from dealer.standings import standings_data, standings_markdown
from server.competition_file import Competition

__all__ = ["Incidents", "Results", "exports", "nets"]

#: Division, bot, kind of incident, how often. Division "": what belongs to a connection and to no table.
Incidents = Mapping[str, Mapping[str, Mapping[str, int]]]


class Results:
    """The scores of a competition, session by session."""

    def __init__(self, competition: Competition) -> None:
        self._competition = competition
        self._scores = {
            name: Scores(division, competition.unit(name)) for name, division in competition.divisions.items()
        }

    def add(self, session: Session, hands: Sequence[Sequence[Event]]) -> None:
        """Count a finished session. Raises ``ScoreError``."""
        self._scores[session.division].add(session, nets(self._competition, session, hands))

    def standings(self, incidents: Incidents) -> Iterator[tuple[str, str]]:
        """``standings.json`` and ``standings.md`` as (name, text)."""
        competition = self._competition
        general = sorted(incidents.get("", {}).items())
        data: dict[str, Any] = {
            "competition": competition.name,
            "connections": {bot: dict(sorted(counts.items())) for bot, counts in general if counts},
            "divisions": [
                standings_data(
                    scores, _counted(incidents.get(name, {})), tournament=competition.tournament(name)
                )
                for name, scores in self._scores.items()
            ],
        }
        yield "standings.json", json.dumps(data, indent=1) + "\n"
        parts = [f"# {competition.name}\n", *map(standings_markdown, data["divisions"])]
        yield "standings.md", "\n".join(parts)


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


def nets(competition: Competition, session: Session, hands: Sequence[Sequence[Event]]) -> list[list[float]]:
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
