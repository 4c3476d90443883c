"""What every author has reached: which version counts at each deadline, its rating and grades. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final, NamedTuple

from dealer.luck.declared import ChanceSums
from dealer.ratings.model import METHOD
from dealer.ratings.results import Results
from dealer.rules.games import Game
from server.ladder.config import Deadline, LadderConfig
from server.ladder.field import Grade, field_with, grades_of, ratings_of, table_data
from server.ladder.records import Author, Version, Work

_PASSED: Final = {True: "yes", False: "no", None: ""}


class GradeRow(NamedTuple):
    """An author at a deadline, or now if there is none.

    ``version``: that which counts, or None. ``row``: its line of the table (``table_data``), or None.
    ``late``: the versions pushed after the deadline.
    """

    author: Author
    deadline: Deadline | None
    version: Version | None
    row: Mapping[str, Any] | None
    grades: Sequence[Grade]
    work: Work
    late: tuple[str, ...]


def counting(versions: Sequence[Version], deadline: Deadline | None) -> Version | None:
    """Return which of an author's versions, oldest first, counts: that which plays, or with a deadline the
    last one pushed before it. A refused version counts only if there is no other.
    """
    if deadline is None:
        playing = next((one for one in versions if one.plays), None)
        return playing or (versions[-1] if versions else None)
    before = [one for one in versions if one.pushed_at < deadline.at.timestamp()]
    sound = [one for one in before if one.state != "refused"]
    found = sound or before
    return found[-1] if found else None


def names_that_count(versions: Sequence[Version], deadlines: Sequence[Deadline]) -> set[str]:
    """Return the versions that count at any of the deadlines, whoever it is for. ``versions``: of any
    authors, each one's oldest first.
    """
    by_bot: dict[str, list[Version]] = {}
    for version in versions:
        by_bot.setdefault(version.bot, []).append(version)
    found = (counting(own, deadline) for own in by_bot.values() for deadline in deadlines)
    return {version.name for version in found if version is not None}


def grade_rows(
    config: LadderConfig,
    game: Game,
    authors: Sequence[Author],
    versions: Sequence[Version],
    results: Results,
    work: Mapping[str, Work],
    declared: Mapping[str, ChanceSums] = {},
) -> list[GradeRow]:
    """Return a row for every author and deadline of his group, and one for every author who has no deadline.

    At a deadline a version that counts is rated in the field as it is now, in place of its successor.
    """
    own = {author.name: [one for one in versions if one.bot == author.name] for author in authors}
    playing = [one for one in versions if one.plays]
    hands = config.hands_of_set(game)
    found = []
    groups: list[tuple[Deadline | None, list[Author]]] = [
        (deadline, [one for one in authors if deadline.group in ("", one.group)])
        for deadline in config.deadlines
    ]
    pressed = {one.name for _, group in groups for one in group}
    groups.append((None, [one for one in authors if one.name not in pressed]))
    for deadline, group in groups:
        chosen = {author.name: counting(own[author.name], deadline) for author in group}
        field = [one for one in playing if chosen.get(one.bot) is None]
        field += [one for one in chosen.values() if one is not None and one.state != "refused"]
        rated = field_with(sorted(field), results, {}, game.players, declared)
        ratings = ratings_of(rated)
        rows = {row["bot"]: row for row in table_data(rated, ratings, hands)["bots"]}
        for author in group:
            version = chosen[author.name]
            row = None if version is None else rows.get(version.name)
            grades = grades_of(ratings, version.name, config.grades) if row and version and ratings else []
            late = (
                ()
                if deadline is None
                else tuple(one.name for one in own[author.name] if one.pushed_at >= deadline.at.timestamp())
            )
            found.append(
                GradeRow(author, deadline, version, row, grades, work.get(author.name, Work()), late)
            )
    return found


def grade_columns(config: LadderConfig) -> tuple[str, ...]:
    """Return the columns of ``grade_cells``."""
    return (
        "author", "group", "version", "hash", "state", "rating", "half", "best_rank", "worst_rank",
        *(rule.name for rule in config.grades),
        "chances", "incidents", "play_hours", "pushed_at", "deadline", "late", "method", "value_function",
    )  # fmt: skip


def grade_cells(
    config: LadderConfig, rows: Iterable[GradeRow], value_function: str
) -> Iterator[tuple[object, ...]]:
    """Yield a line of cells for every row. ``value_function``: the digest of the season's."""
    for one in rows:
        version, row = one.version, one.row
        passed = [_PASSED[grade.passed] for grade in one.grades] or [""] * len(config.grades)
        yield (
            one.author.name,
            one.author.group,
            version.name if version else "",
            version.hash if version else "",
            version.state if version else "",
            row["rating"] if row else "",
            row["half"] if row else "",
            *(row["ranks"] if row else ("", "")),
            *passed,
            _chances_text(row),
            one.work.incidents,
            f"{one.work.seconds / 3600:.3f}",
            date_text(version.pushed_at) if version else "",
            one.deadline.name if one.deadline else "",
            " ".join(one.late),
            METHOD,
            value_function,
        )


def _chances_text(row: Mapping[str, Any] | None) -> str:
    """Return whether what a version declares is believed; nothing if it declares nothing."""
    told = row["declared"] if row else None
    return "" if told is None else "believed" if told["believed"] else "not believed"


def date_text(seconds: float) -> str:
    """Return a time (seconds since 1970) in UTC."""
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")
