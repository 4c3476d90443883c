"""The study of the no-limit bots: duels of ranges, and rows from results that are given."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.random import default_rng

from dealer.rules.actions import CALL, FOLD, raise_to
from dealer.rules.betting import Betting
from dealer.rules.evaluation import rank_hand
from dealer.rules.games import holdem
from strategy.nolimit_bots.policy import load_policy
from strategy.poker.combos import CARDS, live
from studies.nolimit import STUDY
from studies.nolimit.jobs import duel, pace, search_duel
from studies.nolimit.plan import units
from studies.nolimit.ranges import Place, RangeDuel, _value

GAME = holdem(2, 50, 100, stack=2_000)
BOARD = (0, 5, 22, 34, 3)


class Trained(RangeDuel):
    """Both play the trained strategy to the end."""

    def __init__(self) -> None:
        super().__init__(load_policy(20), GAME)
        self._search = self._trained  # type: ignore[assignment]


def test_a_strategy_wins_nothing_from_itself() -> None:
    played = Trained()
    assert [played.deal(BOARD, f"dice {seed}", 2) for seed in range(4)] == pytest.approx([0.0] * 4, abs=1e-9)


def test_the_value_of_ranges_is_that_of_all_pairs_of_hands() -> None:
    dice = default_rng(5)
    own, other = (np.where(dice.random(1326) < 0.02, dice.random(1326), 0.0) for _ in range(2))
    pairs = [
        (one, two, own[one] * other[two])
        for one in np.flatnonzero(own)
        for two in np.flatnonzero(other)
        if len({*CARDS[one], *CARDS[two], *BOARD}) == 9
    ]
    all_pairs = 1081 * 990
    for actions in ((CALL, CALL) + (CALL, CALL) * 3, (raise_to(200), FOLD), (CALL, raise_to(300), FOLD)):
        betting = Betting(GAME)
        for action in actions:
            betting.act(action)
        won = 0.0
        for one, two, weight in pairs:
            ranks = [rank_hand([*CARDS[hand].tolist(), *BOARD]) for hand in (one, two)]
            sign = int(np.sign(ranks[0] - ranks[1])) if not any(betting.folded) else 1 - 2 * betting.folded[0]
            won += sign * weight * min(betting.spent)
        # A fold may come before the board: hands that share cards with it count for nothing.
        found = _value(Place(betting, (None, None), (own * live(BOARD), other * live(BOARD))), BOARD)
        assert found == pytest.approx(won / all_pairs)


def test_a_board_is_played_the_same_again() -> None:
    one, other = (search_duel(20, 1, 1, (3,), True) for _ in range(2))
    assert one == other
    assert one["lost"] == 0


def test_a_match_has_a_result_for_each_deal_with_and_without_luck() -> None:
    found = duel("pushfold", 10, 1, 0, 3)
    assert [len(found[kind]) for kind in ("raw", "net")] == [3, 3]


def test_the_pace_tells_the_street_of_each_decision() -> None:
    found = pace("nolimit", 20, 1, 2, True)
    assert found["hands"] == 4
    assert len(found["streets"]) == len(found["seconds"]) > 4
    assert found["streets"][0] == 0
    assert set(found["streets"]) <= set(range(4))


def test_no_two_units_have_the_same_key_and_all_rows_grow_evenly() -> None:
    for quick in (False, True):
        keys = [unit.key for unit in units(quick, 1)]
        assert len(set(keys)) == len(keys)
    played = [unit.key.partition("/")[0] for unit in units(False, 1)]
    half = played[: len(played) // 2]
    rows = {name for name in played if played.count(name) >= 8}
    assert all(abs(half.count(name) / played.count(name) - 0.5) < 0.1 for name in rows)


def rows_of(done: dict[str, Any]) -> dict[str, Any]:
    report = STUDY.report(False, 1, done)
    assert [figure.name for figure in report.figures] == ["lbr", "duels", "pace"]
    return {row.id: row for row in report.rows}


def test_rows_are_made_of_what_is_there() -> None:
    assert rows_of({}) == {}
    luck = [[0.0] * 12] * 10
    timed = {
        "seconds": [0.0005] * 96 + [9.0, 0.1, 5.0, 3.5],
        "streets": [0] * 96 + [3, 3, 2, 2],
        "hands": 40,
        "late": 0,
        "megabytes": 310.5,
    }
    rows = rows_of(
        {
            "lbr-200-fcpa/0": [[300.0 + one for one in range(10)], luck],
            "search-lbr-200-fcpa/0": [[800.0 + one for one in range(10)], luck],
            "duel-20-fair/0": {"raw": [0.0] * 10, "net": [600.0 + one for one in range(10)]},
            "duel-100-fair/1": {"raw": [0.0] * 10, "net": [200.0 + one for one in range(10)]},
            "duel-200-fair/0": {"raw": [0.0] * 10, "net": [900.0 * (-1) ** one for one in range(10)]},
            "duel-10-fair/0": {"raw": [0.0], "net": [900.0]},
            "duel-10-pushfold/0": {"raw": [0.0] * 10, "net": [-2.0 + one / 10 for one in range(10)]},
            "search-duel-100/0": {"won": [float(one) for one in range(-5, 5)], "lost": 2},
            "pace/nolimit": timed | {"hands": 10_000},
            "pace/nolimit+search": timed,
            "small": {"trained": 1220.4, "river": 390.0, "turn": 130.0},
        }
    )
    verdicts = {name: row.verdict for name, row in rows.items()}
    assert verdicts == {
        "lbr-200-fcpa": "reproduced",
        "search-lbr-200-fcpa": "not reproduced",
        "duel-10-fair": "undecided",
        "duel-20-fair": "reproduced",
        "duel-100-fair": "not reproduced",
        "duel-200-fair": "undecided",
        "duel-pushfold": "reproduced",
        "search-duel-100": "undecided",
        "nolimit-median": "reproduced",
        "nolimit-99": "beyond",
        "nolimit-memory": "not reproduced",
        "nolimit-late": "reproduced",
        "nolimit+search-median": "reproduced",
        "nolimit+search-99": "beyond",
        "nolimit+search-memory": "not reproduced",
        "nolimit+search-late": "reproduced",
        "nolimit+search-river": "reproduced",
        "nolimit+search-turn": "not reproduced",
        "small-trained": "beyond",
        "small-river": "reproduced",
        "small-turn": "not reproduced",
    }
    assert rows["duel-100-fair"].note.startswith("Clear of zero.")
    assert rows["duel-200-fair"].note.startswith("Not clear of zero.")
    assert "hidden" not in rows["duel-pushfold"].note
    assert rows["nolimit-late"].note == ""
    assert "10,000 hands" in rows["nolimit+search-late"].note
    assert "after the first" in rows["nolimit+search-river"].claim
    assert "no place: 2" in rows["search-duel-100"].note


def test_few_deals_hide_a_loss_to_the_push_fold_bot() -> None:
    row = rows_of(
        {"duel-10-pushfold/0": {"raw": [0.0] * 10, "net": [90.0 * (-1) ** one for one in range(10)]}}
    )
    assert f"less than {row['duel-pushfold'].detects} may stay hidden" in row["duel-pushfold"].note
