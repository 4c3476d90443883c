"""The file of hbb6's games after a fold: what is in it, and what is read from it."""

from __future__ import annotations

import json
import lzma
from random import Random

import numpy as np
import pytest

from dealer.rules.cards import parse_cards
from strategy.registry import create_strategy
from strategy.three_player import policy as table
from strategy.three_player.make_folds import MIN_CHANCE
from strategy.three_player.policy import THREE_PLAYERS, load_policy
from strategy.three_player.subgame_strategy import DATA, FACTS, SubgameStrategies, load_subgame_strategies
from strategy.three_player.subgames import subgame_nodes
from tests.strategy.play import decisions, shuffled

MOST_BYTES = 3_000_000


def test_the_shipped_file_is_what_its_facts_say() -> None:
    facts = json.loads(FACTS.read_text(encoding="ascii"))
    assert DATA.stat().st_size + FACTS.stat().st_size < MOST_BYTES
    data = np.frombuffer(lzma.decompress(DATA.read_bytes()), np.uint8)
    assert len(data) == facts["bytes"]
    fold, raise_ = data.reshape(-1, 2).T.astype(np.int16)
    assert np.all((fold + raise_ <= 255) | (fold + raise_ == 510))
    # It was solved for the hands that the shipped strategy holds.
    assert facts["hbb6"] == json.loads(table.FACTS.read_text(encoding="ascii"))["sha256"]
    graph = load_policy().graph
    assert sorted(map(int, facts["game_of_node"])) == subgame_nodes(graph)
    for number, game in enumerate(facts["games"]):
        assert facts["game_of_node"][str(game["node"])] == number
        assert graph.paid[game["node"]].tolist() == game["paid"]
        assert game["chance"] >= MIN_CHANCE
        assert 0 <= game["exploitability_mbb_before_rounding"] < 2
        assert game["exploitability_mbb"] < 2
    assert facts["covered"] > 0.999


def test_it_is_found_again_wherever_two_began_the_flop() -> None:
    random, folds, graph = Random(6), load_subgame_strategies(), load_policy().graph
    players = [create_strategy("random", seat, THREE_PLAYERS) for seat in range(3)]
    met: set[int] = set()
    for number in range(60):
        for _, situation in decisions(THREE_PLAYERS, players, shuffled(THREE_PLAYERS, random), number=number):
            place = folds.locate(graph, situation)
            early = [step for step in situation.history if step.kind == "fold" and step.street == 0]
            assert (place is not None) == (situation.street > 0 and len(early) == 1)
            said = None if place is None else folds.policy(place, situation.hole, situation.board)
            if said is not None:
                fold, call, raise_ = said
                assert fold + call + raise_ == pytest.approx(1)
                assert situation.legal.fold or not fold
                assert situation.legal.min_raise is not None or not raise_
                met.add(situation.street)
    assert met == {1, 2, 3}


def test_good_hands_raise_and_bad_ones_fold() -> None:
    folds = load_subgame_strategies()
    # The first bets; the second has a set, or nothing.
    node = int(folds.tree.child[0, 2])
    board = parse_cards("Kh7d2c")
    good, bad = (folds.policy((0, node), parse_cards(hole), board) for hole in ("7h7c", "4h3d"))
    assert good is not None
    assert bad is not None
    assert good[0] < 0.1
    assert bad[0] > 0.5


def test_of_hands_that_nobody_has_it_knows_nothing() -> None:
    facts, folds = json.loads(FACTS.read_text(encoding="ascii")), load_subgame_strategies()
    # After four bets nobody holds this.
    number = next(n for n, game in enumerate(facts["games"]) if game["paid"] == [5, 40, 40])
    assert folds.policy((number, 0), parse_cards("7h2c"), parse_cards("KhJd9s")) is None


def test_damage_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    data = bytearray(lzma.decompress(DATA.read_bytes()))
    data[5] ^= 1
    monkeypatch.setattr("lzma.decompress", lambda _: bytes(data))
    with pytest.raises(ValueError, match=r"\.xz"):
        load_subgame_strategies.__wrapped__()
    with pytest.raises(ValueError, match="3"):
        SubgameStrategies(np.zeros(3, np.uint8), {16: 0})
