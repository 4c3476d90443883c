"""The results of a division, added session by session, and their statistics.

The statistical unit is a match or a series of them over all its seatings, or a deal: hand h of match k,
played by the same bots in every order (``Division.interval_unit``). All line-ups of a division share the
deals, so a figure over several line-ups takes one deal or match *in all of them* as its unit; hands, seatings
and line-ups that share cards never count as independent. A match of a line-up counts once all its seatings
are complete.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from math import comb, fsum
from operator import add

from dealer.errors import ScoreError
from dealer.intervals import Interval, Ratio, ratio_interval
from dealer.match import Division, Session, seatings
from dealer.rules.events import Chips, Event, ends_of
from dealer.runoff import Place, RunOff, bankrolls, instant_run_off, ranked_places

#: Tolerance for the sum of chips of a session (fractions of split pots, added as doubles).
_SUM_TOLERANCE = 1e-3


def net_by_seat(events: Sequence[Event], seats: int) -> list[Chips]:
    """Return the net chips by seat of a finished hand; 0 for seats that were not dealt in."""
    started, ended = ends_of(events)
    row: list[Chips] = [0] * seats
    for seat, chips in zip(started.seats, ended.values, strict=True):
        row[seat] = chips
    return row


class Scores:
    """Results of one division. Chips are net results; rates are in mbb/hand (thousandths of ``big_blind`` a
    hand).

    The figures do not depend on the order in which sessions were added. Raises ``ScoreError``
    (``bad_big_blind``).
    """

    def __init__(self, division: Division, big_blind: float) -> None:
        if not big_blind > 0:
            raise ScoreError("bad_big_blind", f"mbb/hand needs a big blind above 0, not {big_blind}")
        self.division = division
        self.big_blind = big_blind
        self.line_ups = division.line_ups
        self._orders = seatings(division.players, division.seating)
        # By (match, line-up): until complete, each seating's net chips by seat and hand; then the sums by bot
        # and hand.
        self._incomplete: dict[tuple[int, int], dict[int, tuple[array[float], ...]]] = {}
        self._complete: dict[tuple[int, int], tuple[array[float], ...]] = {}

    def add(self, session: Session, nets: Iterable[Sequence[float]]) -> None:
        """Add a finished session: ``nets[hand][seat]`` are net chips.

        Raises ``ScoreError`` and changes nothing: ``unknown_session`` (not in this division's plan),
        ``duplicate_result``, ``bad_result`` (wrong number of hands or seats, or chips that do not sum to 0).
        """
        self._check_session(session)
        key = (session.match, session.line_up)
        waiting = self._incomplete.get(key, {})
        if key in self._complete or session.seating in waiting:
            raise ScoreError("duplicate_result", f"session {session.name} has been scored before")
        by_seat = _by_seat(session, nets)
        waiting = {**waiting, session.seating: by_seat}
        if len(waiting) < len(self._orders):
            self._incomplete[key] = waiting
            return
        self._incomplete.pop(key, None)
        # In the order of seatings, not of arrival: sums of fractions could differ in the last bit otherwise.
        sums = []
        for player in range(self.division.players):
            hands = [waiting[index][order.index(player)] for index, order in enumerate(self._orders)]
            sums.append(array("d", map(fsum, zip(*hands, strict=True))))
        self._complete[key] = tuple(sums)

    @property
    def complete(self) -> bool:
        """Return whether every session of the division has been added."""
        return len(self._complete) == len(self.line_ups) * self.division.matches

    @property
    def matches_scored(self) -> int:
        """Return how many matches of line-ups count so far, of ``len(line_ups) * division.matches``."""
        return len(self._complete)

    @property
    def hands_scored(self) -> int:
        """Return the number of hands in the matches that count."""
        return len(self._complete) * self.division.hands * len(self._orders)

    def hands_of(self, bot: str) -> int:
        """Return the number of hands that a bot played in the matches that count."""
        return len(self._sets_of(self._line_ups_with(bot))) * self.division.hands * len(self._orders)

    def line_up_chips(self) -> dict[tuple[str, ...], tuple[float, ...]]:
        """Return the net chips of every line-up's bots over all its matches that count; line-ups without any
        are omitted.
        """
        found = {}
        for number, line_up in enumerate(self.line_ups):
            sets = self._sets_of([number])
            if sets:
                found[line_up] = tuple(
                    fsum(map(fsum, [hands[i] for _, hands in sets])) for i in range(len(line_up))
                )
        return found

    def ranking(self) -> tuple[Place, ...]:
        """Return the total bankroll ranking: chips over all line-ups."""
        return ranked_places(bankrolls(self.line_up_chips(), self.division.bots))

    def run_off(self) -> RunOff:
        """Return the bankroll instant run-off. Raises ``ScoreError`` (``nothing_to_score``) until all bots
        have met, and if not all line-ups are played, because eliminations could leave bots without a table.
        """
        chips = self.line_up_chips()
        if len(chips) < comb(len(self.division.bots), self.division.players):
            raise ScoreError("nothing_to_score", "a run-off needs a result of every line-up")
        return instant_run_off(chips, self.division.bots, self.division.players)

    def rate(self, bot: str) -> Interval | None:
        """Return a bot's mbb/hand over all its line-ups; None if it has not played."""
        return self._in_mbb(self._ratio(bot, self._line_ups_with(bot)))

    def cell(self, row: str, column: str) -> Interval | None:
        """Return a bot's mbb/hand in the line-ups that contain another; None if they have not met.

        Heads-up this is its result against the other; with more players the rest of the table contributes.
        """
        return self._in_mbb(self._ratio(row, self._line_ups_with(row, column)))

    def difference(self, bot: str, other: str, among: Sequence[str] | None = None) -> Interval | None:
        """Return how many mbb/hand a bot won more than another, over the line-ups in which only ``among``
        play (default: all bots); None if one of them has not played.
        """
        left = set(self.division.bots if among is None else among)
        numbers = [number for number, line_up in enumerate(self.line_ups) if left.issuperset(line_up)]
        mine, theirs = self._ratio(bot, numbers), self._ratio(other, numbers)
        if mine is None or theirs is None:
            return None
        return mine.difference(theirs).if_enough_units().scaled(1000 / self.big_blind)

    def _check_session(self, session: Session) -> None:
        division = self.division
        known = (
            session.division == division.name
            and session.hands == division.hands
            and 0 <= session.line_up < len(self.line_ups)
            and 0 <= session.match < division.matches
            and 0 <= session.seating < len(self._orders)
        )
        if known:
            line_up = self.line_ups[session.line_up]
            known = session.players == tuple(line_up[player] for player in self._orders[session.seating])
        if not known:
            raise ScoreError(
                "unknown_session", f"session {session.name} is not in the plan of division {division.name}"
            )

    def _line_ups_with(self, *bots: str) -> list[int]:
        return [number for number, line_up in enumerate(self.line_ups) if set(bots).issubset(line_up)]

    def _sets_of(self, numbers: Sequence[int]) -> list[tuple[tuple[int, int], tuple[array[float], ...]]]:
        keys = [(match, number) for match in range(self.division.matches) for number in numbers]
        return [(key, self._complete[key]) for key in keys if key in self._complete]

    def _ratio(self, bot: str, numbers: Sequence[int]) -> Ratio | None:
        """Return the chips per hand of a bot; units are the deals or matches that the given line-ups played,
        in order.
        """
        totals: dict[int, array[float]] = {}
        counts: dict[int, int] = {}
        for (match, number), sums in self._sets_of(numbers):
            line_up = self.line_ups[number]
            if match not in totals:
                totals[match] = array("d", bytes(8 * self.division.hands))
                counts[match] = 0
            if bot in line_up:
                totals[match] = array("d", map(add, totals[match], sums[line_up.index(bot)]))
                counts[match] += len(self._orders)
        if not any(counts.values()):
            return None
        hands = self.division.hands
        if self.division.interval_unit != "deal":
            series = self.division.series
            chips: dict[int, list[float]] = {}
            weights: dict[int, int] = {}
            for match, total in totals.items():
                chips.setdefault(match // series, []).append(fsum(total))
                weights[match // series] = weights.get(match // series, 0) + hands * counts[match]
            return ratio_interval(list(map(fsum, chips.values())), list(weights.values()))
        units = [total for match in totals for total in totals[match]]
        return ratio_interval(units, [counts[match] for match in totals for _ in range(hands)])

    def _in_mbb(self, chips: Ratio | None) -> Interval | None:
        return None if chips is None else chips.interval().if_enough_units().scaled(1000 / self.big_blind)


def _by_seat(session: Session, nets: Iterable[Sequence[float]]) -> tuple[array[float], ...]:
    rows = list(nets)
    if len(rows) != session.hands or any(len(row) != len(session.players) for row in rows):
        raise ScoreError(
            "bad_result",
            f"session {session.name} has {session.hands} hands of {len(session.players)} results each",
        )
    if not abs(fsum(map(fsum, rows))) <= _SUM_TOLERANCE:  # also catches NaN
        raise ScoreError("bad_result", f"the net chips of session {session.name} do not sum to 0")
    return tuple(array("d", column) for column in zip(*rows, strict=True))
