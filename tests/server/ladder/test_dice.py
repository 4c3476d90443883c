"""The dice of versions that declare their chances: out of the results, unless they play with others."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping
from math import sqrt
from pathlib import Path
from random import Random

import pytest

from dealer.match import Session
from dealer.ratings.results import LineUpSums
from dealer.rules.events import Event
from server.commands import ladder as commands
from server.commands.sprt import differences
from server.competition.file import parse_competition
from server.ladder.config import load_config
from server.ladder.ladder import Ladder
from server.ladder.matches import DealSets, MatchEnd, competition_text, deal_sets_of
from server.ladder.records import LADDER_SCHEMA, Author, MatchResult, Version
from server.ladder.store import LadderStore
from server.storage.sqlite import connect, migrate
from server.web.ladder.published import Published
from tests.support.competitions.declaring import drawn_hands
from tests.support.ladders import Field, fast_ladder, in_fast_motion

BOTS = ("silent", "teller")
CONFIG = """
name = "dice"
house = ["silent", "teller"]
deal_sets = 30
game = "holdem.nolimit.2p.reverse_blinds"
"""
#: Each match has some sixty decisions: too few to find it out in one.
SLIGHT = 0.14


def version(name: str) -> Version:
    return Version(name, name, 1, "house", "", (), "rated", "", 0.0, None)


def played(folder: Path, number: int, lie: float) -> DealSets:
    """A match, as its records would have it: ``teller`` calls an all-in or folds, and says how it draws."""
    (folder / "ladder.toml").write_text(CONFIG, encoding="utf-8")
    text = competition_text(load_config(folder), number, [version(bot) for bot in BOTS], 2, {})
    competition = parse_competition(text, folder, bytes([number]) * 32)

    def hands_of(session: Session) -> list[list[Event]]:
        return drawn_hands(competition, session, {"teller": lie}, push=True)

    return deal_sets_of(competition, hands_of)


@pytest.fixture(scope="module")
def matches(tmp_path_factory: pytest.TempPathFactory) -> Mapping[float, list[DealSets]]:
    """Matches of a player who tells the truth, and of one who does not."""
    folder = tmp_path_factory.mktemp("ladder")
    return {lie: [played(folder, number, lie) for number in range(1, 9)] for lie in (0.0, SLIGHT)}


@pytest.fixture
def store(tmp_path: Path) -> Iterator[LadderStore]:
    opened = LadderStore(tmp_path, "1")
    yield opened
    opened.close()


def end_all(store: LadderStore, ends: list[DealSets], order: list[int]) -> None:
    """Let the matches end in this order."""
    for _ in ends:
        store.start_match(store.add_match(BOTS, "rated", 0.0).number)
    for place in order:
        store.end_match(place + 1, 1.0, 1.0, ends[place].result, {})


def sums_in(store: LadderStore) -> LineUpSums:
    sums = store.results().sums(BOTS)
    assert sums is not None
    return sums


def added(results: list[MatchResult], left: frozenset[str]) -> LineUpSums:
    total = results[0].sums
    for one in results[1:]:
        total = total.plus(one.sums)
    return total.with_dice_of(left)


def deviation(sums: LineUpSums) -> float:
    return sqrt(sums.scatter()[1][1] / (sums.deal_sets - 1))


def test_without_its_dice_a_bot_s_results_scatter_less_around_the_same_mean(
    matches: Mapping[float, list[DealSets]],
) -> None:
    ends = matches[0.0]
    without, raw = (
        added([one.result for one in ends], frozenset()),
        added([one.raw() for one in ends], frozenset()),
    )
    assert deviation(without) < 0.7 * deviation(raw)
    # What dice brought is nothing but chance.
    brought = [rows[1] for one in ends for rows in one.dice["teller"]]
    error = sqrt(sum(value * value for value in brought)) / len(brought)
    assert abs(without.means()[1] - raw.means()[1]) == pytest.approx(
        abs(sum(brought) / len(brought)), abs=0.01
    )
    assert abs(without.means()[1] - raw.means()[1]) < 3 * error


def test_who_tells_the_truth_is_believed(matches: Mapping[float, list[DealSets]], store: LadderStore) -> None:
    ends = matches[0.0]
    end_all(store, ends, list(range(len(ends))))
    assert store.untrue == frozenset()
    assert list(store.chances()) == ["teller"]
    assert sums_in(store) == added([one.result for one in ends], frozenset())


def test_a_liar_is_found_over_many_matches_and_its_dice_stay_in_all_of_them(
    matches: Mapping[float, list[DealSets]], store: LadderStore
) -> None:
    ends = matches[SLIGHT]
    end_all(store, ends, [0])
    assert store.untrue == frozenset()
    for place in range(1, len(ends)):
        store.end_match(place + 1, 1.0, 1.0, ends[place].result, {})
    assert store.untrue == {"teller"}
    raw, counted = added([one.raw() for one in ends], frozenset()), sums_in(store)
    # Each figure of a deal set is rounded to a thousandth of a mbb/hand.
    assert counted.means() == pytest.approx(raw.means(), abs=0.001)
    assert deviation(counted) == pytest.approx(deviation(raw), rel=1e-6)
    assert [scored.sums for scored in store.scored((0.0, 0), 1)] == [
        ends[0].result.sums.with_dice_of({"teller"})
    ]


def test_neither_order_nor_a_restart_nor_age_changes_a_bit(
    matches: Mapping[float, list[DealSets]], tmp_path: Path
) -> None:
    ends, random, found = matches[SLIGHT], Random(6), set()
    for trial in range(4):
        folder = tmp_path / f"{trial}"
        folder.mkdir()
        order = list(range(len(ends)))
        random.shuffle(order)
        store = LadderStore(folder, "1")
        end_all(store, ends, order)
        store.add_up(2 * trial)
        store.close()
        again = LadderStore(folder, "1")
        found.add((sums_in(again), again.untrue, tuple(again.chances().items())))
        again.close()
    assert len(found) == 1


def test_challenges_that_do_not_count_tell_of_lies_too(
    matches: Mapping[float, list[DealSets]], store: LadderStore
) -> None:
    for end in matches[SLIGHT]:
        match = store.add_match(BOTS, "challenge", 0.0, "ann", counts=False)
        store.end_match(match.number, 1.0, 1.0, end.result, {})
    assert store.untrue == {"teller"}
    assert len(store.results()) == 0


def test_results_from_before_are_read_and_added_to_new_ones(
    matches: Mapping[float, list[DealSets]], tmp_path: Path
) -> None:
    path = tmp_path / "ladder.db"
    path.touch()
    db = connect(path)
    migrate(db, LADDER_SCHEMA._replace(migrations=LADDER_SCHEMA.migrations[:2]))
    old = "[50, [1000, -1000], [90000, -90000, 90000]]"
    for number in (1, 2):
        row = (
            number,
            "1",
            '["silent", "teller"]',
            "rated",
            1,
            "",
            "done",
            0.0,
            1.0,
            1.0,
            old,
            "{}",
            "",
            number,
        )
        db.execute(f"INSERT INTO matches VALUES ({', '.join('?' * len(row))})", row)
    db.execute("INSERT INTO sums VALUES ('1', '[\"silent\", \"teller\"]', ?)", (old,))
    db.close()
    store = LadderStore(tmp_path, "1")
    try:
        before = LineUpSums(150, (3000, -3000), (270_000, -270_000, 270_000))
        assert sums_in(store) == before
        known = store.match(1).result
        assert known is not None
        assert known.chances is None
        end = matches[0.0][0].result
        store.end_match(store.add_match(BOTS, "rated", 0.0).number, 1.0, 1.0, end, {})
        both = before.plus(end.sums.with_dice_of(()))
        assert sums_in(store) == both
        store.add_up(3)
        assert store.matches() == []
        assert sums_in(store) == both
    finally:
        store.close()


class _Matches(Field):
    """Plays the same matches again and again."""

    def __init__(self, ends: list[DealSets]) -> None:
        super().__init__(10.0)
        self.ends = ends

    async def play(self, place, match, versions, hashes, lent) -> MatchEnd:  # type: ignore[no-untyped-def]
        end = await super().play(place, match, versions, hashes, lent)
        return end._replace(deal_sets=self.ends[match.number % len(self.ends)])

    def drawn(self, line_up, deal_sets, random) -> list[list[float]]:  # type: ignore[no-untyped-def]
        return []


def test_a_ladder_at_work_judges_as_one_that_is_started_again_and_says_so(
    matches: Mapping[float, list[DealSets]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "ladder.toml").write_text(CONFIG, encoding="utf-8")

    async def main() -> None:
        async with fast_ladder(tmp_path, _Matches(matches[SLIGHT])) as (ladder, _):
            assert isinstance(ladder, Ladder)
            ladder.enrol([Author("teller", "0" * 64, "")])
            await ladder.run(12)
            assert ladder.store.untrue == {"teller"}
            assert ladder._results == ladder.store.results()
            rows = {row["bot"]: row["declared"] for row in (await Published(ladder).table())["bots"]}
            assert rows["silent"] is None
            assert rows["teller"]["decisions"] > 100
            assert rows["teller"]["p"] < 1e-4
            assert rows["teller"]["believed"] is False
            (row,) = await ladder.grades()
            assert row.work.incidents == 0
            assert row.row is not None
            assert row.row["declared"] == rows["teller"]

    in_fast_motion(main)
    commands.show(tmp_path)
    assert "teller does not play with the chances that it declares" in capsys.readouterr().out
    commands.grades(tmp_path)
    (graded,) = csv.DictReader(io.StringIO(capsys.readouterr().out))
    assert (graded["author"], graded["chances"]) == ("teller", "not believed")


def test_a_difference_has_the_dice_of_all_matches_behind_it(matches: Mapping[float, list[DealSets]]) -> None:
    mine, theirs = matches[0.0][0], matches[SLIGHT][1]
    alone = differences(mine, "teller")
    assert alone.sums.with_dice_of(()).means() == [mine.result.sums.with_dice_of(()).means()[1]]
    both = differences(mine, "teller", theirs, "silent")
    for left in ((), ("teller",)):
        one, two = (end.result.sums.with_dice_of(left).means() for end in (mine, theirs))
        assert both.sums.with_dice_of(left).means() == pytest.approx([one[1] - two[0]], abs=0.002)
    assert [bot for bot, _ in both.chances] == ["teller", "teller"]
    # The same player in the same match: nothing is left, whatever dice do.
    nothing = differences(mine, "teller", mine, "teller").sums
    assert not any(nothing.rows.sums + nothing.rows.products)
