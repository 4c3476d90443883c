"""Ratings from results: what each bot wins against the field, with errors that cover what they say.

The model: in a line-up of k bots, a deal set brings bot i

    x_i = s_i - (mean of the others' s) + c_i + e_i

with a strength ``s`` per bot, an interaction ``c`` of this line-up and the noise ``e`` of its cards, which
has the line-up's own covariance. Interactions are Gaussian with one deviation for the whole field: where
rock beats scissors, c is large. A bot's *rating* is its mean result over all line-ups of the field, met or
not; interactions of line-ups that met are estimated, those of others count as error.

Method: generalised least squares with random effects, predicted as in Henderson 1975 ("Best linear unbiased
estimation and prediction under a selection model", Biometrics 31); the interactions' variance by Paule and
Mandel 1982 (J. Res. Natl. Bur. Stand. 87); degrees of freedom by Satterthwaite 1946.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from math import comb, sqrt
from typing import Final, NamedTuple, TypeVar

from dealer.errors import ScoreError
from dealer.intervals import Interval, chi_square_tail, t_quantile
from dealer.ratings.matrix import (
    Matrix,
    Vector,
    apply,
    centring,
    dot,
    inverse,
    plus,
    solved,
    times,
    transposed,
    zeros,
)
from dealer.ratings.results import LineUpSums, Results
from dealer.ratings.variances import LineUpVariances

#: Changes with every change of the method that changes a figure.
METHOD: Final = "pokerd-ratings-1"
#: What is believed of a strength before any result: next to nothing (deviation in mbb/hand).
_PRIOR_DEVIATION = 1e4
_STEPS = 60
_UNKNOWN_FREEDOM = 10**6


_Bot = TypeVar("_Bot", str, int)


class _Block(NamedTuple):
    """A line-up in the coordinates of all its bots but the last, whose results follow from the others'."""

    bots: tuple[int, ...]
    design: Matrix
    mean: Vector
    noise: Matrix
    freedom: int


class Interaction(NamedTuple):
    """How far results depend on who meets whom: the deviation of a bot's interactions in mbb/hand, the share
    of results' variance that it makes up (0 to 1), and the chance of what was seen if there were none. None
    as long as line-ups form no circle, for example with two bots.
    """

    deviation: float
    share: float
    p_value: float | None


class Ratings:
    """The ratings of a field of bots, in mbb/hand; with everything needed to say how sure they are.

    ``field``: the bots that are rated, each against all others that have results. ``players``: seats at a
    table of this field. Results of line-ups with bots outside the field count too. A bot without results has
    the rating 0 and no interval. Raises ``ScoreError`` (``too_few_bots``) if the field does not fill a table.
    """

    def __init__(self, results: Results, field: Sequence[str], players: int = 2) -> None:
        if len(set(field)) < players or players < 2:
            raise ScoreError(
                "too_few_bots", f"a field for tables of {players} needs as many bots, not {len(set(field))}"
            )
        self.results = results
        self.field = tuple(dict.fromkeys(field))
        self.players = players
        #: What a match would tell, by line-up and deal sets, once computed (``dealer.ratings.schedule``).
        self.falls: dict[tuple[tuple[str, ...], int], float] = {}
        line_ups = list(results)
        others = {bot for line_up, _ in line_ups for bot in line_up}
        bots = [*self.field, *sorted(others.difference(self.field))]
        self._index = {bot: place for place, bot in enumerate(bots)}
        self._variances = LineUpVariances(line_ups)
        self._blocks = {
            line_up: self._block(line_up, sums) for line_up, sums in line_ups if self._variances.known
        }
        self._blocks_of: dict[str, list[tuple[tuple[str, ...], _Block]]] = {bot: [] for bot in bots}
        for line_up, block in self._blocks.items():
            for bot in line_up:
                self._blocks_of[bot].append((line_up, block))
        self._played = others
        met = [bot for bot in self.field if bot in others]
        #: Those of the field that make it up: an unknown opponent would make every rating unknown.
        self._met = met if len(met) >= players else list(self.field)
        self._tau = self._interaction_variance()
        self._solve()

    # What is published.

    def rating(self, bot: str) -> Interval:
        """Return a bot's mean result over all line-ups of the field, with its 95 % interval."""
        row = self._row[bot]
        half = None
        freedom = self._freedom[row]
        if bot in self._played and self._variances.known and freedom > 0:
            half = t_quantile(0.975, freedom) * sqrt(self.covariance[row][row])
        return Interval(self.means[row], half, self.results.deal_sets(bot))

    def difference(self, bot: str, other: str) -> tuple[float, float]:
        """Return by how much a bot's rating is above another's, and its standard error."""
        i, j = self._row[bot], self._row[other]
        variance = self.covariance[i][i] + self.covariance[j][j] - 2 * self.covariance[i][j]
        return self.means[i] - self.means[j], sqrt(max(0.0, variance))

    def against(self, bot: str, other: str) -> Interval | None:
        """Return a bot's mean result in the line-ups in which it met another, with its 95 % interval; None if
        they never met.

        Estimated with the whole model: heads-up with few deal sets it is drawn towards the difference of the
        strengths.
        """
        found = self._against(bot, other)
        if found is None:
            return None
        mean, sensitivity, interaction, freedom = found
        variance = dot(sensitivity, apply(self._inverse, sensitivity)) + interaction
        sets = sum(sums.deal_sets for line_up, sums in self.results if bot in line_up and other in line_up)
        return Interval(mean, t_quantile(0.975, freedom) * sqrt(variance), sets)

    def _against(self, bot: str, other: str) -> tuple[float, Vector, float, int] | None:
        """Return the mean of ``against``, its sensitivity to the strengths, the part of its variance that
        interactions make, and its degrees of freedom, which are more than 0.
        """
        met = [
            (block, line_up.index(bot)) for line_up, block in self._blocks_of.get(bot, []) if other in line_up
        ]
        freedom = sum(block.freedom for block, _ in met)
        if not freedom:
            return None
        additive = [0.0] * len(self._index)
        terms = []
        for block, place in met:
            row = [value / len(met) for value in _selector(place, len(block.bots))]
            terms.append((block, row))
            _spread(additive, block, row, 1.0)
        return (*self._functional(additive, terms), freedom)

    def worst_opponent(self, bot: str) -> tuple[str, Interval] | None:
        """Return the opponent against which a bot's result is lowest; None before it met anybody."""
        # An interval takes much longer than a mean: in a field of a hundred, a minute for all of them.
        found = [(self._against(bot, other), other) for other in self.field if other != bot]
        means = [(known[0], other) for known, other in found if known is not None]
        if not means:
            return None
        _, other = min(means)
        interval = self.against(bot, other)
        return None if interval is None else (other, interval)

    def interaction(self) -> Interaction:
        """Return how far results depend on who meets whom."""
        rows = [self._row[bot] for bot in self._met]
        tables = self.players / (self.players - 1)
        error = sum(self.covariance[i][i] for i in rows) / len(rows)
        additive = max(0.0, sum(self.means[i] ** 2 for i in rows) / (len(rows) - 1) - error) * tables
        share = self._tau / (self._tau + additive) if self._tau > 0 else 0.0
        return Interaction(sqrt(self._tau), share, self._p_value)

    def expected(self, line_up: Sequence[str]) -> list[float]:
        """Return what each bot of a line-up wins by the strengths alone (mbb/hand), in its order."""
        strengths = [self._strengths[self._index[bot]] for bot in line_up]
        total = sum(strengths)
        return [own - (total - own) / (len(strengths) - 1) for own in strengths]

    def deviation(self, line_up: Sequence[str]) -> list[float]:
        """Return the standard deviation of each bot's result of one deal set of a line-up (mbb/hand), in the
        line-up's order; an estimate from its bots' other line-ups if it has not played.
        """
        names = tuple(sorted(line_up))
        sums = self.results.sums(names)
        matrix = self._variances.covariance(names, sums)
        return [sqrt(matrix[names.index(bot)][names.index(bot)]) for bot in line_up]

    def after(
        self, line_up: Sequence[str], deal_sets: int, bots: Iterable[str]
    ) -> tuple[dict[str, Vector], Matrix]:
        """Return how the covariance of the ratings of these ``bots`` would fall if a line-up played more deal
        sets: ``(u, f)`` with the new covariance ``covariance - u f u'``, u by bot.
        """
        names = tuple(sorted(line_up))
        block = self._blocks.get(names)
        if block is None:
            places = tuple(self._index[bot] for bot in names)
            free = _free(self._variances.covariance(names, None))
            block = _Block(places, _design(len(names)), [0.0] * len(free), free, 0)
            keep = [[float(i == j) for j in range(len(free))] for i in range(len(free))]
        else:
            keep = self._keep(block)
        prior = times(keep, _interaction_block(len(names), self._tau))
        local = times(keep, block.design)
        u = {}
        for bot in bots:
            solved = self._solved[self._row[bot]]
            values = apply(local, [solved[place] for place in block.bots])
            if bot in names and (unit := self._unit(len(names))):
                known = apply(transposed(prior), _selector(names.index(bot), len(names)))
                values = [value + unit * part for value, part in zip(values, known, strict=True)]
            u[bot] = values
        among = [[self._inverse[i][j] for j in block.bots] for i in block.bots]
        now = times(times(local, among), transposed(local))
        noise = _free(self._variances.covariance(names, self.results.sums(names)))
        return u, inverse(plus(plus(now, prior), noise, 1 / deal_sets))

    # How it is computed.

    def _block(self, line_up: tuple[str, ...], sums: LineUpSums) -> _Block:
        noise = _free(self._variances.covariance(line_up, sums))
        return _Block(
            tuple(self._index[bot] for bot in line_up),
            _design(len(line_up)),
            sums.means()[:-1],
            [[value / sums.deal_sets for value in row] for row in noise],
            self._variances.freedom(sums),
        )

    def _information(self, tau: float) -> tuple[Matrix, Vector, list[Matrix]]:
        """Return the normal equations of the strengths, and the weight of each block."""
        size = len(self._index)
        matrix, right = zeros(size, size), [0.0] * size
        weights = []
        for block in self._blocks.values():
            weight = inverse(plus(block.noise, _interaction_block(len(block.bots), tau)))
            weights.append(weight)
            if len(block.bots) == 2:
                # Heads-up most of the time goes by here: the same in plain numbers.
                (one, two), [[share]], [mean] = block.bots, weight, block.mean
                right[one] += share * mean
                right[two] -= share * mean
                matrix[one][one] += share
                matrix[one][two] -= share
                matrix[two][one] -= share
                matrix[two][two] += share
                continue
            weighted = times(transposed(block.design), weight)
            local = times(weighted, block.design)
            sides = apply(weighted, block.mean)
            for i, row in enumerate(block.bots):
                right[row] += sides[i]
                for j, column in enumerate(block.bots):
                    matrix[row][column] += local[i][j]
        # Results tell only differences of strengths: this fixes their mean without changing the differences.
        fixing = max(sum(matrix[i][i] for i in range(size)) / size, 1e-12)
        for i in range(size):
            for j in range(size):
                matrix[i][j] += fixing / size
            matrix[i][i] += 1 / _PRIOR_DEVIATION**2
        return matrix, right, weights

    def _misfit(self, tau: float) -> float:
        matrix, right, weights = self._information(tau)
        strengths = solved(matrix, right)
        total = 0.0
        for block, weight in zip(self._blocks.values(), weights, strict=True):
            rest = _rest(block, strengths)
            total += dot(rest, apply(weight, rest))
        return total

    def _interaction_variance(self) -> float:
        """Return the variance of interactions that makes the misfit what chance would make it."""
        part = connected_parts([block.bots for block in self._blocks.values()])
        bots, parts = len(part), len(set(part.values()))
        free = sum(len(block.bots) - 1 for block in self._blocks.values()) - (bots - parts)
        self._p_value: float | None = None
        if free <= 0:
            return 0.0
        # Weights are from estimated variances, which makes the misfit larger, as in an F distribution.
        inflated = [
            (len(block.bots) - 1) * block.freedom / max(1, block.freedom - 2)
            for block in self._blocks.values()
        ]
        expected = sum(inflated) * free / sum(len(block.bots) - 1 for block in self._blocks.values())
        seen = self._misfit(0.0)
        self._p_value = chi_square_tail(seen * free / expected, free)
        if seen <= expected:
            return 0.0
        low, high = 0.0, 1.0
        while self._misfit(high) > expected:
            low, high = high, high * 16
        for _ in range(_STEPS):
            middle = (low + high) / 2
            if high - low <= 1e-3 * high:
                break
            if self._misfit(middle) > expected:
                low = middle
            else:
                high = middle
        return (low + high) / 2

    def _keep(self, block: _Block) -> Matrix:
        """Return what is left of prior knowledge of a line-up's interactions: I - T (T + noise)^-1."""
        total = inverse(plus(block.noise, _interaction_block(len(block.bots), self._tau)))
        return times(block.noise, total)

    def _functional(
        self, additive: Vector, terms: Sequence[tuple[_Block, Vector]]
    ) -> tuple[float, Vector, float]:
        """Return the estimate of ``additive . s + sum of row . c`` over line-ups that met, its sensitivity to
        the strengths, and the part of its variance that interactions make.
        """
        sensitivity = list(additive)
        mean = dot(additive, self._strengths)
        variance = 0.0
        for block, row in terms:
            keep = self._keep(block)
            kept = apply(transposed(keep), row)
            drawn = [mine - theirs for mine, theirs in zip(row, kept, strict=True)]
            mean += dot(drawn, _rest(block, self._strengths))
            _spread(sensitivity, block, drawn, -1.0)
            variance += dot(kept, apply(_interaction_block(len(block.bots), self._tau), row))
        return mean, sensitivity, variance

    def _unit(self, players: int) -> float:
        """Return the share of one line-up in a rating: 1 by the number of line-ups that a bot can sit in."""
        return 1 / comb(len(self._met) - 1, players - 1) if players == self.players else 0.0

    def _solve(self) -> None:
        matrix, right, weights = self._information(self._tau)
        self._inverse = inverse(matrix)
        self._strengths = apply(self._inverse, right)
        size = len(self._index)
        self._row = {bot: row for row, bot in enumerate(self.field)}
        inside = {
            line_up: block
            for line_up, block in self._blocks.items()
            if len(line_up) == self.players and self._row.keys() >= set(line_up)
        }
        terms: dict[str, list[tuple[_Block, Vector]]] = {bot: [] for bot in self.field}
        unit = self._unit(self.players)
        for line_up, block in inside.items():
            for place, bot in enumerate(line_up):
                terms[bot].append((block, [unit * part for part in _selector(place, self.players)]))
        self.means: Vector = []
        self._sensitivity: list[Vector] = []
        for bot in self.field:
            additive = [0.0] * size
            for other in self._met:
                additive[self._index[other]] = -1 / (len(self._met) - (bot in self._met))
            additive[self._index[bot]] = 1.0
            mean, sensitivity, _ = self._functional(additive, terms[bot])
            self.means.append(mean)
            self._sensitivity.append(sensitivity)
        self._solved = [apply(self._inverse, row) for row in self._sensitivity]
        self.covariance: Matrix = [[dot(one, two) for two in self._solved] for one in self._sensitivity]
        self._add_interactions(inside, unit)
        self._freedom = self._degrees(weights, terms)

    def _add_interactions(self, inside: Mapping[tuple[str, ...], _Block], unit: float) -> None:
        """Add to the covariance what is unknown of the interactions in the field."""
        if self._tau == 0.0:
            return
        rows, players = [self._row[bot] for bot in self._met], self.players
        # As if no line-up had met ...
        own = self._tau * unit
        shared = -self._tau / (players - 1) * unit * unit * comb(len(rows) - 2, players - 2)
        for i in rows:
            for j in rows:
                self.covariance[i][j] += own if i == j else shared
        # ... less what those that met have told.
        for line_up, block in inside.items():
            prior = _interaction_block(players, self._tau)
            told = plus(prior, times(self._keep(block), prior), -1.0)
            selectors = [_selector(place, players) for place in range(players)]
            for one, bot in zip(selectors, line_up, strict=True):
                known = apply(transposed(told), one)
                for two, other in zip(selectors, line_up, strict=True):
                    self.covariance[self._row[bot]][self._row[other]] -= unit * unit * dot(known, two)

    def _degrees(
        self, weights: Sequence[Matrix], terms: Mapping[str, Sequence[tuple[_Block, Vector]]]
    ) -> list[int]:
        """Return the degrees of freedom of each rating's variance."""
        found = []
        blocks = list(self._blocks.values())
        for row, bot in enumerate(self.field):
            direct = {id(block): values for block, values in terms[bot]}
            squares = 0.0
            for block, weight in zip(blocks, weights, strict=True):
                local = [self._solved[row][place] for place in block.bots]
                reaction = apply(weight, apply(block.design, local))
                values = direct.get(id(block))
                if values is not None:
                    kept = apply(transposed(self._keep(block)), values)
                    for i, value in enumerate(values):
                        reaction[i] += value - kept[i]
                part = dot(reaction, apply(block.noise, reaction))
                if block.freedom:
                    squares += part * part / block.freedom
            variance = self.covariance[row][row]
            freedom = variance * variance / squares if squares > 0 else 0.0
            found.append(int(min(_UNKNOWN_FREEDOM, max(freedom + 1e-6, 0.0))))
        return found


def _free(matrix: Matrix) -> Matrix:
    """Return a covariance without its last row and column."""
    return [row[:-1] for row in matrix[:-1]]


@lru_cache
def _interaction_block(players: int, variance: float) -> Matrix:
    """Return the covariance of a line-up's interactions with this variance, free coordinates."""
    scale = variance * players / (players - 1)
    return [[scale * entry for entry in row] for row in _free(centring(players))]


@lru_cache
def _design(players: int) -> Matrix:
    """Return what each bot but the last wins by the strengths of all."""
    return [[1.0 if i == j else -1 / (players - 1) for j in range(players)] for i in range(players - 1)]


def _selector(place: int, players: int) -> Vector:
    """Return how a bot's result follows from the free coordinates."""
    if place == players - 1:
        return [-1.0] * (players - 1)
    return [float(place == column) for column in range(players - 1)]


def _rest(block: _Block, strengths: Vector) -> Vector:
    local = apply(block.design, [strengths[place] for place in block.bots])
    return [mean - value for mean, value in zip(block.mean, local, strict=True)]


def _spread(total: Vector, block: _Block, row: Vector, factor: float) -> None:
    """Add ``factor * row . design`` to a vector over all bots."""
    for column, place in enumerate(block.bots):
        for value, line in zip(row, block.design, strict=True):
            total[place] += factor * value * line[column]


def connected_parts(line_ups: Iterable[Sequence[_Bot]]) -> dict[_Bot, _Bot]:
    """Return for each bot one that stands for the part of the bots that line-ups connect with it."""
    parent: dict[_Bot, _Bot] = {}

    def root(bot: _Bot) -> _Bot:
        while parent.setdefault(bot, bot) != bot:
            bot = parent[bot]
        return bot

    for line_up in line_ups:
        for bot in line_up:
            parent[root(bot)] = root(line_up[0])
    return {bot: root(bot) for bot in list(parent)}
