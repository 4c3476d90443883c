"""The results of a division without luck: computed when all is played, from the hands alone."""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from dealer.luck.correction import hand_luck
from dealer.luck.declared import DeclaredChances
from dealer.luck.value import shipped_value
from dealer.match import Session
from dealer.rules.events import Event, start_of
from dealer.rules.games import Game
from dealer.scoring import Scores
from dealer.standings import luck_data
from server.competition.file import Competition

#: What the standings count for a bot whose declared chances are not those that it plays with.
UNTRUE_POLICY = "untrue_policy"


def hand_game(competition: Competition, session: Session, events: Sequence[Event]) -> Game:
    """Return the game of one hand: at cash tables and in tournaments, players and blinds change."""
    started = start_of(events)
    if competition.division_entry(session.division).table is None:
        return competition.games[session.division]
    return competition.stakes_at(session.division, started).game(len(started.seats))


class SessionLuck(NamedTuple):
    """A session without the luck of the cards: chips by hand and seat. ``dice``: by each seat that declares
    its chances, what its dice brought, by hand and seat; they are still in ``nets``.
    """

    nets: list[array[float]]
    dice: dict[int, list[array[float]]]


def session_luck(
    competition: Competition,
    session: Session,
    hands: Sequence[Sequence[Event]],
    declared: Mapping[str, DeclaredChances],
) -> SessionLuck:
    """Return the luck of a session, and add to ``declared`` what its players declared, by bot."""
    weights = shipped_value().weights(limit=competition.games[session.division].limit)
    seats = len(session.players)
    nets: list[array[float]] = []
    dice: dict[int, list[array[float]]] = {}
    for number, events in enumerate(hands):
        started = start_of(events)
        luck = hand_luck(hand_game(competition, session, events), events, weights=weights)
        row = array("d", bytes(8 * seats))
        for seat, won, brought in zip(started.seats, luck.won, luck.of_cards(weights), strict=True):
            row[seat] = won - brought
        nets.append(row)
        for position, draws in luck.draws.items():
            own = started.seats[position]
            declared[session.players[own]].add(events, own, draws)
            rows = dice.setdefault(own, [array("d", bytes(8 * seats)) for _ in hands])
            for seat, brought in zip(started.seats, luck.of_dice(position, weights), strict=True):
                rows[number][seat] = brought
    return SessionLuck(nets, dice)


class DivisionLuck:
    """The luck of a division, added session by session."""

    def __init__(self, competition: Competition, name: str) -> None:
        self._competition = competition
        self._division = competition.divisions[name]
        self._declared = {bot: DeclaredChances() for bot in self._division.bots}
        # Whether a bot is believed is known in the end: until then its dice are kept apart, by seat.
        self._sessions: list[tuple[Session, list[array[float]], dict[int, list[array[float]]]]] = []

    def add(self, session: Session, hands: Sequence[Sequence[Event]]) -> None:
        """Add the hands of a session."""
        nets, dice = session_luck(self._competition, session, hands, self._declared)
        if self._competition.is_tournament(session.division):
            seats = len(session.players)
            nets = _total(nets, seats)
            dice = {seat: _total(rows, seats) for seat, rows in dice.items()}
        self._sessions.append((session, nets, dice))

    def incidents(self, bot: str) -> dict[str, int]:
        """Return an incident if a bot's declared chances are not believed."""
        return {} if bot not in self._declared or self._declared[bot].believed else {UNTRUE_POLICY: 1}

    def scores(self, big_blind: float) -> Scores:
        """Return the scores without luck. Raises ``ScoreError``."""
        corrected = Scores(self._division, big_blind)
        for session, nets, dice in self._sessions:
            used = [rows for seat, rows in dice.items() if self._declared[session.players[seat]].believed]
            corrected.add(
                session,
                [
                    [net - sum([rows[hand][seat] for rows in used]) for seat, net in enumerate(row)]
                    for hand, row in enumerate(nets)
                ],
            )
        return corrected

    def data(self, raw: Scores) -> dict[str, Any]:
        """Return ``without_luck`` for the standings. Raises ``ScoreError``."""
        return luck_data(raw, self.scores(raw.big_blind), shipped_value().digest, self._declared)


def _total(rows: Sequence[array[float]], seats: int) -> list[array[float]]:
    """Return one row: a tournament counts as a whole."""
    return [array("d", [sum([row[seat] for row in rows]) for seat in range(seats)])]
