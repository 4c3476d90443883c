"""The field of a ladder from its stored results: ratings, who plays next, and grades. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from dealer.intervals import Interval, t_quantile, t_tail
from dealer.luck.declared import ChanceSums, DeclaredChances
from dealer.ratings.model import METHOD, Ratings
from dealer.ratings.published import published_ratings
from dealer.ratings.results import Results
from dealer.ratings.schedule import Candidate, candidates, next_line_up
from server.ladder.config import GradeRule
from server.ladder.records import Version

#: Line-ups that are told of those that come next.
_NEXT: Final = 5


class Field(NamedTuple):
    """The versions that play, and the results of the matches among them. ``waits``: how many matches have
    begun since each version's last one. ``declared``: what those declare that declare their chances.
    """

    versions: Sequence[Version]
    results: Results
    players: int
    waits: Mapping[str, float]
    declared: Mapping[str, ChanceSums] = {}

    @property
    def names(self) -> list[str]:
        """Return the names of the versions."""
        return [version.name for version in self.versions]


def field_of(
    versions: Sequence[Version],
    results: Results,
    last: Mapping[str, int],
    players: int,
    declared: Mapping[str, ChanceSums] = {},
) -> Field:
    """Return the field of the versions that play. ``last``: how many matches had
    begun when each one began its last match, or any number that grows with it.
    """
    playing = [version for version in versions if version.plays]
    return field_with(playing, results, last, players, declared)


def field_with(
    playing: Sequence[Version],
    results: Results,
    last: Mapping[str, int],
    players: int,
    declared: Mapping[str, ChanceSums] = {},
) -> Field:
    """Return the field of these versions."""
    names = [version.name for version in playing]
    newest = max(last.values(), default=0)
    waits = {name: float(newest - last.get(name, 0)) for name in names}
    return Field(playing, results.among(names), players, waits, declared)


def ratings_of(field: Field) -> Ratings | None:
    """Return the ratings of a field; None if it does not fill a table."""
    if len(field.versions) < field.players:
        return None
    return Ratings(field.results, field.names, field.players)


def choose_line_up(
    field: Field,
    ratings: Ratings,
    free: Sequence[str],
    deal_sets: int,
    seconds: Mapping[tuple[str, ...], float],
    begun: Mapping[tuple[str, ...], int] = {},
) -> tuple[str, ...] | None:
    """Return who should play next among the ``free`` versions. ``seconds``: what line-ups took, if known;
    ``begun``: how many matches of a line-up began since the ratings were computed, each of which makes the
    next one worth less.
    """
    return next_line_up(ratings, free, field.waits, deal_sets, _seconds_of(seconds, begun))


def _seconds_of(
    seconds: Mapping[tuple[str, ...], float], begun: Mapping[tuple[str, ...], int]
) -> Callable[[tuple[str, ...]], float]:
    usual = sum(seconds.values()) / len(seconds) if seconds else 1.0
    return lambda line_up: max(seconds.get(line_up, usual), 0.01) * (1 + begun.get(line_up, 0))


class Outlook(NamedTuple):
    """What would be played next, the first one first, and how many matches have begun since each bot's last
    one, the longest wait first.
    """

    line_ups: Sequence[Candidate]
    waits: Sequence[tuple[str, int]]


def outlook_of(
    field: Field,
    ratings: Ratings | None,
    free: Sequence[str],
    deal_sets: int,
    seconds: Mapping[tuple[str, ...], float],
    begun: Mapping[tuple[str, ...], int],
) -> Outlook:
    """Return the outlook for the ``free`` versions: first the line-up that ``choose_line_up`` chooses, then
    those from which most is learnt.
    """
    waits = sorted(((name, int(field.waits[name])) for name in free), key=lambda one: (-one[1], one[0]))
    if ratings is None:
        return Outlook((), waits)
    # A version that is newer than the ratings is in none of the line-ups.
    free = [name for name in free if name in ratings.field]
    first = choose_line_up(field, ratings, free, deal_sets, seconds, begun)
    ranked = candidates(ratings, free, deal_sets, _seconds_of(seconds, begun))
    return Outlook(sorted(ranked, key=lambda one: one.line_up != first)[:_NEXT], waits)


def table_data(field: Field, ratings: Ratings | None, hands: int) -> dict[str, Any]:
    """Return the table that is published (``published_ratings``), with each version's bot, number, kind and
    hash, what it ``declared`` (null: nothing): ``decisions``, the p-value ``p`` of what it played if that is
    true (null with too few), and whether it is ``believed``. ``hands``: of a deal set.
    """
    if ratings is None:
        return {
            "method": METHOD,
            "unit": "mbb/hand",
            "players": field.players,
            "bots": [],
            "interaction": None,
        }
    data = published_ratings(ratings, hands)
    by_name = {version.name: version for version in field.versions}
    for row in data["bots"]:
        version = by_name[row["bot"]]
        row |= {
            "author": version.bot,
            "version": version.number,
            "kind": version.kind,
            "hash": version.hash,
            "state": version.state,
            "declared": declared_data(field.declared.get(version.name)),
        }
    return data


def declared_data(chances: ChanceSums | None) -> dict[str, Any] | None:
    """Return what a version declared as data for JSON."""
    if chances is None:
        return None
    data = DeclaredChances.of(chances).data()
    return {**data, "p": None if data["p"] is None else float(f"{data['p']:.3g}")}


def untrue_text(bot: str, p: float) -> str:
    """Return what is told of a bot whose declared chances are not believed."""
    return (
        f"{bot} does not play with the chances that it declares (p = {p:.3g}):"
        " the luck of its dice is in its results"
    )


class Grade(NamedTuple):
    """Whether a version has reached a rule: None while that is undecided. ``p`` is the one-sided p-value, or
    None without results.
    """

    rule: str
    passed: bool | None
    p: float | None


def grades_of(ratings: Ratings, name: str, rules: Sequence[GradeRule]) -> list[Grade]:
    """Return what a version has reached of the rules. A rule is passed at its ``p``, and failed if the
    opposite is as sure; with both conditions it is passed if both are.
    """
    found = []
    for rule in rules:
        values = []
        if rule.rating is not None:
            values.append(_p_above(ratings.rating(name), rule.rating))
        if rule.beats is not None:
            values.append(_p_above(ratings.against(name, rule.beats), 0.0))
        known = [value for value in values if value is not None]
        worst = max(known, default=None)
        passed = None
        if worst is not None:
            if worst < rule.p and len(known) == len(values):
                passed = True
            elif worst > 1 - rule.p:
                passed = False
        found.append(Grade(rule.name, passed, None if worst is None else round(worst, 6)))
    return found


def _p_above(interval: Interval | None, bound: float) -> float | None:
    """Return the chance of such a result, or a higher one, if the truth is the bound."""
    if interval is None or not interval.half:
        return None
    # The interval knows its degrees of freedom only through its width; the normal quantile is near enough
    # from the number of deal sets on that a rating has.
    return t_tail(
        (interval.mean - bound) / (interval.half / t_quantile(0.975, interval.units)), interval.units
    )
