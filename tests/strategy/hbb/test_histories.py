from __future__ import annotations

from math import gcd

import numpy as np

from dealer.rules.games import load_game
from dealer.rules.notation import parse_betting
from strategy.blueprint.blueprint import GAME
from strategy.cfr.tree import find_node
from strategy.mapping_bots.histories import histories, list_distance, word_distances

ALL = histories()
ROWS = range(len(ALL.node))


def test_the_game_is_that_of_the_file() -> None:
    assert load_game("holdem.limit.2p.reverse_blinds") == GAME


def test_there_are_6378() -> None:
    assert len(ALL.node) == len(set(ALL.rounds)) == 6378
    assert np.bincount(ALL.street).tolist() == [8, 70, 630, 5670]


def test_pots_make_54_classes() -> None:
    classes = set(zip(ALL.street.tolist(), ALL.pot.tolist(), strict=True))
    assert [sum(street == one for street, _ in classes) for one in range(4)] == [5, 11, 15, 23]
    assert len(classes) == 54
    assert ((ALL.street == 3) & (ALL.pot == 52)).sum() == 536
    assert ((ALL.street == 2) & (ALL.pot == 52)).sum() == 32


def test_pot_odds_make_76_classes_as_pairs_and_50_as_ratios() -> None:
    classes = set(zip(ALL.street.tolist(), ALL.pot.tolist(), ALL.to_call.tolist(), strict=True))
    assert [sum(street == one for street, *_ in classes) for one in range(4)] == [5, 11, 22, 38]
    assert len(classes) == 76
    ratios = {(street, pot // gcd(pot, call), call // gcd(pot, call)) for street, pot, call in classes}
    assert len(ratios) == 50
    assert len({(pot, call) for _, pot, call in ratios}) == 23


def test_every_history_is_what_the_rules_say() -> None:
    for row in [*range(80), *range(80, 6378, 97)]:
        text = "/".join(ALL.rounds[row])
        betting = parse_betting(GAME, text)
        assert find_node(ALL.tree, "".join(ALL.rounds[row])) == ALL.node[row]
        assert ALL.row_of[ALL.rounds[row]] == row
        assert (ALL.street[row], ALL.hero[row]) == (betting.street, betting.to_act)
        assert (ALL.pot[row] * 5, ALL.to_call[row] * 5) == (betting.pot, betting.to_call)
        assert ALL.can_raise[row] == (betting.legal().min_raise is not None)
        did = {(street, position): "" for street in range(4) for position in range(2)}
        for street, position, action in betting.history:
            did[street, position] += action.kind[0]
        for street in range(4):
            assert ALL.words[ALL.own[row, street]] == did[street, betting.to_act]
            assert ALL.words[ALL.other[row, street]] == did[street, 1 - betting.to_act]
            assert ALL.raises[row, street] == (did[street, 0] + did[street, 1]).count("r")


def test_distance_of_lists() -> None:
    assert list_distance("", "") == 0
    assert list_distance("cr", "cr") == 0
    assert list_distance("cr", "cc") == 1
    assert list_distance("cr", "crc") == 1
    assert list_distance("", "crc") == 3
    assert list_distance("rc", "crc") == 3
    assert list_distance("rc", "cc") == list_distance("cc", "rc")


def test_distances_from_all_words_at_once() -> None:
    assert word_distances("cr").tolist() == [list_distance("cr", word) for word in ALL.words]
    assert word_distances("rrrrrrr").min() == 5
