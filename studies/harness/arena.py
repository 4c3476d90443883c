"""Strategies at a table in this process: the server's tables, matches, seeds and scores, without its sockets.

A ``Contest`` is a division of a competition. Played here it gives, hand for hand, the server's records for
the same seed and bots: the cards come from the same deals, and a strategy gets the same seed and game, the
same situations, and the same events in the same order. There are no clocks, so nobody is ever late; a
strategy that fails ends the session with its error.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import fsum
from typing import NamedTuple

from dealer.deck import acpc_deals, acpc_match_seed, secure_deals, seed_bytes
from dealer.formats.cash import Cash
from dealer.formats.fixed import FixedStacks
from dealer.formats.format import Deals, Stakes, TableFormat
from dealer.formats.tournament import Level, Tournament
from dealer.match import Division, Session, bot_seed, plan_sessions, play_key
from dealer.rules.events import Chips, Event
from dealer.rules.games import Game
from dealer.scoring import Scores, net_by_seat
from strategy.registry import Strategy, create_strategy
from studies.harness.session import HandCallback, play_session


class ContestEntry(NamedTuple):
    """The player behind a name: a strategy of ``strategy.registry``, with its parameters."""

    strategy: str
    parameters: object = None


class FixedTable(NamedTuple):
    """Every hand begins with the stacks of the game."""

    game: Game


class CashTable(NamedTuple):
    """Stacks carry over; a player who is broke gets a new one."""

    players: int
    stakes: Stakes

    @property
    def game(self) -> Game:
        """Return the initial game."""
        return self.stakes.game(self.players)


class TournamentTable(NamedTuple):
    """Stacks carry over until one player has everything."""

    players: int
    levels: tuple[Level, ...]
    stack: int = 1000
    limit: bool = False
    rules: str = "standard"

    @property
    def game(self) -> Game:
        """Return the initial game."""
        stakes = self.levels[0].stakes(self.limit, self.stack)
        return stakes._replace(rules=self.rules).game(self.players)


class ContestResult(NamedTuple):
    """The result of a session.

    These are net chips by hand and by seat (for a tournament one row, each player's total), and the places by
    seat of a tournament.
    """

    session: Session
    nets: list[list[Chips]]
    places: list[int]


@dataclass(frozen=True)
class Contest:
    """A division, its table, and its bots; ``seed`` as in a competition (32 bytes, or an ACPC seed). It can
    be sent to another process.

    The division of a tournament has one "hand", as its unit is the whole tournament; its ``carry`` follows
    from the table. Raises ``DeckError`` and the errors of the parts.
    """

    division: Division
    table: FixedTable | CashTable | TournamentTable
    entries: Mapping[str, ContestEntry]
    seed: bytes | int

    def __post_init__(self) -> None:
        fresh = isinstance(self.table, FixedTable)
        if isinstance(self.table, CashTable):
            fresh = self.table.stakes.depth is not None
        object.__setattr__(self, "division", replace(self.division, carry=not fresh))

    @property
    def sessions(self) -> tuple[Session, ...]:
        """Return all sessions in order."""
        return plan_sessions(self.division)

    def match(self, number: int) -> tuple[Session, ...]:
        """Return the sessions of one match, in order: all line-ups at all seatings."""
        first = plan_sessions(replace(self.division, matches=1))
        return tuple(replace(session, match=number) for session in first)

    @cached_property
    def _key(self) -> bytes:
        return play_key(seed_bytes(self.seed))

    @property
    def unit(self) -> int:
        """Return the chips that count as one big blind in the scores; in tournaments a starting stack."""
        if isinstance(self.table, TournamentTable):
            return self.table.stack
        return max(self.table.game.blinds)

    def format(self, session: Session) -> TableFormat:
        """Return the hands of a session, from its first."""

        def deals_for(game: Game) -> Deals:
            if isinstance(self.seed, int):
                return acpc_deals(acpc_match_seed(self.seed, session.match), game)
            return secure_deals(self.seed, session.match, game)

        match self.table:
            case FixedTable(game):
                return FixedStacks(game, deals_for(game), session.hands)
            case CashTable(players, stakes):
                return Cash(players, stakes, deals_for, hands=session.hands, all_seated=True)
            case TournamentTable(players, levels, stack, limit, rules):
                return Tournament(players, levels, stack, deals_for, limit=limit, rules=rules)

    def strategies(self, session: Session, game: Game) -> list[Strategy]:
        """Return new strategies for a session, by seat."""
        return [
            create_strategy(
                self.entries[name].strategy,
                bot_seed(self._key, session, seat),
                game,
                self.entries[name].parameters,
            )
            for seat, name in enumerate(session.players)
        ]

    def play(self, session: Session, recorder: HandCallback | None = None) -> ContestResult:
        """Play one session."""
        form = self.format(session)
        rows: list[list[Chips]] = []

        def note(events: Sequence[Event]) -> None:
            rows.append(net_by_seat(events, len(session.players)))
            if recorder is not None:
                recorder(events)

        play_session(form, self.strategies(session, form.game), note)
        if isinstance(form, Tournament):
            return ContestResult(session, [list(map(sum, zip(*rows, strict=True)))], form.places)
        return ContestResult(session, rows, [])

    def scores(self, results: Iterable[ContestResult]) -> Scores:
        """Return the scores of the results, as the server computes them. Raises ``ScoreError``."""
        scores = Scores(self.division, self.unit)
        for result in results:
            scores.add(result.session, result.nets)
        return scores


def deal_totals(contest: Contest, results: Iterable[ContestResult], bots: Iterable[str]) -> list[float]:
    """Return the total chips won by ``bots`` at each deal, over all its seatings and line-ups.

    These are independent units, by match and hand, for ``dealer.intervals``. Incomplete matches are left out.
    """
    group = set(bots)
    complete = contest.division.sessions // contest.division.matches
    matches: dict[int, list[list[float]]] = {}
    for session, rows, _ in results:
        seats = [seat for seat, name in enumerate(session.players) if name in group]
        matches.setdefault(session.match, []).append([fsum(row[seat] for seat in seats) for row in rows])
    return [
        fsum(chips)
        for match in sorted(matches)
        if len(matches[match]) == complete
        for chips in zip(*matches[match], strict=True)
    ]
