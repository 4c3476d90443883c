"""The published table."""

from __future__ import annotations

import json
from random import Random

import pytest

from dealer.ratings.model import METHOD, Ratings
from dealer.ratings.published import published_ratings
from dealer.ratings.results import Results


def _results(mean: float, sets: int = 100) -> Results:
    random = Random(20)
    results = Results()
    for _ in range(sets):
        won = random.gauss(mean, 1000)
        results.add(("ann", "bob"), (won, -won))
    return results


def test_it_is_plain_data_with_the_best_first_and_unrated_bots_last() -> None:
    found = published_ratings(Ratings(_results(-500), ["ann", "bob", "new"]), hands=2)
    assert json.loads(json.dumps(found)) == found
    assert found["method"] == METHOD
    assert [row["bot"] for row in found["bots"]] == ["bob", "ann", "new"]
    bob, ann, new = found["bots"]
    assert bob["rating"] == -ann["rating"] > 200
    assert bob["half"] == ann["half"] > 0
    assert bob["deal_sets"] == 100
    assert bob["ahead"] > 0.99
    assert bob["worst"]["bot"] == "ann"
    assert ann["worst"]["mean"] < 0
    assert bob["ranks"] == [1, 2]
    assert new["rating"] is new["half"] is new["elo"] is new["worst"] is None
    assert new["ranks"] == [1, 3]


def test_elo_is_the_chance_to_win_a_thousand_hands() -> None:
    found = published_ratings(Ratings(_results(0.0, sets=4000), ["ann", "bob"]), hands=2)
    assert sum(row["elo"] for row in found["bots"]) == 0
    # A thousand hands are 500 deal sets: a mean of 44.7 is one deviation, a chance of .8413, 290 Elo.
    ratings = Ratings(_results(1000 / 500**0.5, sets=4000), ["ann", "bob"])
    row = next(row for row in published_ratings(ratings, hands=2)["bots"] if row["bot"] == "ann")
    assert row["elo"] == pytest.approx(290 * row["rating"] / (1000 / 500**0.5), rel=0.2)
