"""The file of hbb6: what is in it, and what is read from it."""

from __future__ import annotations

import json
import lzma
from itertools import combinations
from random import Random

import numpy as np
import pytest

from dealer.rules.cards import parse_cards
from dealer.rules.games import load_game
from strategy.cfr.graph import compile_graph
from strategy.poker.strength_moments import Cuts, Slices
from strategy.three_player.policy import (
    DATA,
    FACTS,
    PARTS,
    THREE_PLAYERS,
    ThreePlayerPolicy,
    load_policy,
    pack,
    unpack,
)

MOST_BYTES = 10_000_000


def test_the_game_is_that_of_the_file() -> None:
    assert load_game("holdem.limit.3p") == THREE_PLAYERS


def test_packing_rounds_to_fifteenths_that_sum_to_one() -> None:
    random = np.random.default_rng(2)
    chances = random.dirichlet((0.5, 0.5, 0.5), 5000).astype(np.float32)
    chances[::3, 0] = 0
    chances /= chances.sum(axis=1, keepdims=True)
    back = unpack(pack(chances))
    assert back.sum(axis=1) == pytest.approx(1)
    assert np.abs(back - chances).max() <= 1 / PARTS
    assert (back[::3, 0] == 0).all()
    sure = np.eye(3, dtype=np.float32)
    assert (unpack(pack(sure)) == sure).all()


def test_the_shipped_file_is_what_its_facts_say() -> None:
    facts = json.loads(FACTS.read_text(encoding="ascii"))
    assert DATA.stat().st_size + FACTS.stat().st_size < MOST_BYTES
    assert f"--iterations {facts['deals']} --seed {facts['seed']}" in facts["command"]
    assert facts["exploitability"] is None
    assert sum(facts["value"]["chips"]) == pytest.approx(0, abs=1e-3)
    table = load_policy()
    graph = table.graph
    assert facts["decisions"] == (graph.player >= 0).sum() == 19_906
    chances = unpack(np.frombuffer(lzma.decompress(DATA.read_bytes()), np.uint8))
    assert len(chances) == facts["bytes"]
    assert not np.isnan(chances).any()
    assert chances.min() >= 0
    assert chances.sum(axis=1) == pytest.approx(1)


def test_what_is_not_legal_has_no_chance() -> None:
    table, random = load_policy(), Random(3)
    decisions = np.flatnonzero(table.graph.player >= 0)
    for node in random.sample(decisions.tolist(), 300):
        cards = random.sample(range(52), 7)
        board = cards[2 : 2 + (0, 3, 4, 5)[table.graph.street[node]]]
        said = table.policy(node, cards[:2], board)
        assert sum(said) == pytest.approx(1)
        assert all(said[number] == 0 for number in range(3) if table.graph.child[node, number] < 0)


def test_it_plays_good_hands_and_not_bad_ones_before_the_flop() -> None:
    table = load_policy()
    assert table.policy(0, parse_cards("AhAd"), ())[2] > 0.6
    assert table.policy(0, parse_cards("7h2d"), ())[0] > 0.9
    played = [1 - table.policy(0, hole, ())[0] for hole in combinations(range(52), 2)]
    assert 0.2 < np.mean(played) < 0.7


def test_suits_have_no_names() -> None:
    table = load_policy()
    node = int(table.graph.child[table.graph.child[table.graph.child[0, 1], 1], 1])
    assert table.graph.street[node] == 1
    for hole, board in (("AhKh", "Qh7h2c"), ("8s7s", "9d6hTs")):
        cards = parse_cards(hole), parse_cards(board)
        turned = tuple(tuple(card & ~3 | (card + 1) & 3 for card in part) for part in cards)
        assert table.policy(node, *cards) == table.policy(node, *turned)


def test_damage_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    data = bytearray(lzma.decompress(DATA.read_bytes()))
    data[5] ^= 1
    monkeypatch.setattr("strategy.packed_files.lzma.decompress", lambda _: bytes(data))
    with pytest.raises(ValueError, match=r"\.xz"):
        load_policy.__wrapped__()
    cuts = Slices((Cuts(np.zeros(1, np.int64), np.zeros((2, 0), np.int64)),) * 3)
    with pytest.raises(ValueError, match="3"):
        ThreePlayerPolicy(compile_graph(load_game("kuhn.limit.2p")), cuts, np.zeros(3, np.uint8))
