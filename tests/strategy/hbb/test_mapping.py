from __future__ import annotations

from collections.abc import Iterator
from random import Random

import numpy as np
import pytest

from dealer.rules.actions import CALL, FOLD, RAISE
from dealer.rules.betting import Betting
from dealer.rules.games import holdem, load_game
from strategy.mapping_bots import mappings
from strategy.mapping_bots.histories import histories, list_distance
from strategy.mapping_bots.mapping import (
    Mapping,
    Nearest,
    Rows,
    action_distance,
    ask_policy,
    nearest_pot,
    nearest_price,
    numeric_distances,
    raise_differs,
    same_street,
    wrong_position,
)
from strategy.mapping_bots.rounds import map_street
from strategy.mapping_bots.spot import (
    BIG_BLIND,
    BUTTON,
    Spot,
    acting_position,
    make_spot,
    preferred_position,
    price,
)
from tests.strategy.hbb.synthetic import THREE, Synthetic, situation

ALL = histories()
SB, BB, BU = range(3)
S1 = make_spot(situation("rcc/rr", "AhKd"))
S2 = make_spot(situation("ccc/ccc/rr", "Ks9c"))
EVERY = ("HBB1", "HBB2", "HBB3", "HBB4", "HBB5", "OWNBOT", "SARTRE")


def mapping(name: str) -> Mapping:
    found: Mapping = getattr(mappings, name)
    return found


def nearest(name: str, spot: Spot, opponent: int) -> str:
    ranked = mapping(name).rank(ALL, spot, opponent)
    return "/".join(ALL.rounds[ranked.rows[0]])


def row(text: str) -> int:
    return ALL.row_of[tuple(text.split("/"))]


def distance(spot: Spot, opponent: int, text: str) -> float:
    rows: Rows = np.array([row(text)])
    return float(action_distance(ALL, spot, opponent, rows)[0])


def random_spots(count: int) -> Iterator[Spot]:
    random = Random(11)
    while count:
        betting = Betting(THREE)
        text = ""
        while not betting.over:
            if random.random() < 0.2:
                yield make_spot(situation(text))
                count -= 1
                if not count:
                    return
            legal = betting.legal()
            choices = [CALL, CALL, *([FOLD] if legal.fold else []), *([RAISE] if legal.min_raise else [])]
            action = random.choice(choices)
            street = betting.street
            betting.act(action)
            text += action.kind[0] + "/" * (betting.street - street)


# The document's examples.


def test_the_first_example_is_what_the_document_says() -> None:
    assert (S1.hero, S1.opponents, S1.street) == (BU, (SB, BB), 1)
    assert (S1.pot * 5, S1.to_call * 5) == (90, 20)
    assert S1.lists == (("c", "c", "r"), ("r", "r", ""))


@pytest.mark.parametrize(
    ("text", "hero", "pot", "to_call", "away"),
    [
        ("rc/r", BUTTON, 50, 10, 0),
        # The document has 90:20 here.
        ("rc/rrr", BUTTON, 90, 10, 2),
        ("crc/cr", BIG_BLIND, 50, 10, 2),
    ],
)
def test_the_histories_of_table_13(text: str, hero: int, pot: int, to_call: int, away: int) -> None:
    found = row(text)
    assert (ALL.hero[found], ALL.pot[found] * 5, ALL.to_call[found] * 5) == (hero, pot, to_call)
    assert distance(S1, SB, text) == distance(S1, BB, text) == away


def test_no_history_has_pot_and_odds_of_the_first_example() -> None:
    same = (ALL.street == 1) & (ALL.pot == S1.pot)
    assert set(ALL.to_call[same].tolist()) == {2}


def test_the_second_example_and_the_histories_of_table_14() -> None:
    assert (S2.hero, S2.pot * 5, S2.to_call * 5) == (BU, 90, 40)
    for text, pot, to_call, away in (("cc/cc/r", 40, 20, 0), ("cc/rc/r", 60, 20, 1)):
        found = row(text)
        assert (ALL.hero[found], ALL.pot[found] * 5, ALL.to_call[found] * 5) == (BUTTON, pot, to_call)
        assert distance(S2, SB, text) == distance(S2, BB, text) == away


@pytest.mark.parametrize(
    ("name", "first", "second"),
    [
        ("HBB1", "cc/rr", "cc/cc/rr"),
        ("HBB2", "rc/r", "cc/cc/r"),
        ("HBB3", "rc/rrr", "cc/cc/rr"),
        ("HBB4", "rc/r", "cc/cc/r"),
        ("HBB5", "rc/r", "cc/cc/r"),
    ],
)
def test_what_each_mapping_makes_of_the_examples(name: str, first: str, second: str) -> None:
    for opponent in (SB, BB):
        assert nearest(name, S1, opponent) == first
        assert nearest(name, S2, opponent) == second


def test_table_4() -> None:
    keys = np.array([[0, 0, 4], [0, 1, 2], [1, 1, 3], [1, 1, 4]], float)
    assert numeric_distances(keys).tolist() == [4, 6, 9, 10]
    assert numeric_distances(keys[:, 2:]).tolist() == [4, 2, 3, 4]


# Filters and positions.


def test_the_filters_give_the_classes() -> None:
    for one in range(0, 6378, 53):
        street, pot, to_call = int(ALL.street[one]), int(ALL.pot[one]), int(ALL.to_call[one])
        spot = S1._replace(street=street, pot=pot, to_call=to_call)
        rows = same_street(ALL, spot, np.arange(6378))
        assert (ALL.street == street).sum() == len(rows)
        same_pot = (ALL.street == street) & (ALL.pot == pot)
        assert nearest_pot(ALL, spot, rows).tolist() == np.flatnonzero(same_pot).tolist()
        same_odds = same_pot & (ALL.to_call == to_call)
        assert nearest_price(ALL, spot, rows).tolist() == np.flatnonzero(same_odds).tolist()


def test_of_two_pots_equally_near_both_are_left() -> None:
    rows = nearest_pot(ALL, S2, same_street(ALL, S2, np.arange(6378)))
    assert set(ALL.pot[rows].tolist()) == {16, 20}


def test_prices_come_before_pots() -> None:
    spot = S1._replace(pot=30.0, to_call=2.0)
    rows = nearest_price(ALL, spot, same_street(ALL, spot, np.arange(6378)))
    assert price(30, 2) == 1 / 16
    assert {(int(ALL.pot[one]), int(ALL.to_call[one])) for one in rows} == {(30, 2)}
    # Without something to pay, only such are left.
    spot = S1._replace(pot=30.0, to_call=0.0)
    rows = nearest_price(ALL, spot, same_street(ALL, spot, np.arange(6378)))
    assert set(ALL.to_call[rows].tolist()) == {0}


def test_the_preferred_position() -> None:
    preferred = {(hero, other): preferred_position(hero, other) for hero in range(3) for other in range(3)}
    assert preferred[SB, BU] == preferred[BB, BU] == BIG_BLIND
    assert preferred[BU, SB] == preferred[BU, BB] == BUTTON
    assert preferred[SB, BB] is None
    assert preferred[BB, SB] is None


@pytest.mark.parametrize("players", [3, 4, 6])
def test_the_order_of_acting(players: int) -> None:
    game = holdem(players, 5, 10, limit=True)
    betting = Betting(game)
    order: list[list[int]] = [[], []]
    while betting.street < 2:
        order[betting.street].append(betting.to_act)
        betting.act(CALL)
    for street in range(2):
        for hero in range(players):
            for other in set(range(players)) - {hero}:
                first_player = game.first_player[street]
                spot = S1._replace(players=players, street=street, hero=hero, first=first_player)
                first = order[street].index(hero) < order[street].index(other)
                heads_up = acting_position(spot, other)
                assert (
                    heads_up == ((BUTTON if first else BIG_BLIND), (BIG_BLIND if first else BUTTON))[street]
                )


def test_heads_up_every_player_acts_where_he_sits() -> None:
    game = load_game("holdem.limit.2p.reverse_blinds")
    for text in ("", "c", "rc/", "rc/c", "crc/rc/r"):
        spot = make_spot(situation(text, game=game))
        assert acting_position(spot, 1 - spot.hero) == spot.hero


def test_a_spot_at_a_larger_table() -> None:
    spot = make_spot(situation("fcrffcc/r", game=holdem(6, 5, 10, limit=True)))
    assert (spot.players, spot.hero, spot.opponents) == (6, 3, (1, 4))
    assert (spot.rounds, spot.active) == (("fcrffcc", "r"), (6, 3))
    assert spot.lists == (("f", "c", "f", "cc", "r", "f"), ("", "r", "", "", "", ""))
    assert (preferred_position(3, 1), preferred_position(3, 4)) == (BUTTON, None)


# The framework.


def plainly(name: str, spot: Spot, opponent: int) -> list[tuple[float, ...]]:
    """The sort keys of all histories, one by one."""
    found = []
    for one in range(6378):
        if ALL.street[one] != spot.street:
            continue
        words = [(ALL.words[ALL.own[one, s]], ALL.words[ALL.other[one, s]]) for s in range(spot.street + 1)]
        away = sum(
            list_distance(own, spot.lists[s][spot.hero]) + list_distance(other, spot.lists[s][opponent])
            for s, (own, other) in enumerate(words)
        )
        preferred = preferred_position(spot.hero, opponent)
        wrong = preferred is not None and ALL.hero[one] != preferred
        pot, to_call = int(ALL.pot[one]), int(ALL.to_call[one])
        odds = round(abs(price(pot, to_call) - price(spot.pot, spot.to_call)), 9)
        size = abs(pot - spot.pot)
        advanced = (bool(ALL.can_raise[one]) != spot.can_raise, wrong, away)
        order = {"HBB2": (away,), "HBB3": (size, away), "HBB4": (odds, size, *advanced)}
        found.append((*order.get(name, order["HBB4"]), one))
    found.sort()
    kept = {"HBB2": 0, "HBB3": 1, "HBB4": 2}.get(name, 0)
    return [one for one in found if one[:kept] == found[0][:kept]]


@pytest.mark.parametrize("name", ["HBB2", "HBB3", "HBB4", "HBB5"])
def test_the_order_is_that_of_the_document(name: str) -> None:
    for spot in random_spots(8):
        for opponent in spot.opponents:
            ranked = mapping(name).rank(ALL, spot, opponent)
            assert ranked.rows.tolist() == [one[-1] for one in plainly(name, spot, opponent)]
            assert ranked.keys[:, -1].tolist() == [one[-2] for one in plainly(name, spot, opponent)]


@pytest.mark.parametrize("name", EVERY)
def test_every_spot_has_a_history_of_its_street(name: str) -> None:
    for spot in random_spots(150):
        for opponent in spot.opponents:
            ranked = mapping(name).rank(ALL, spot, opponent)
            assert len(ranked.rows) == len(ranked.keys) >= 1
            assert len(set(ranked.rows.tolist())) == len(ranked.rows)
            assert set(ALL.street[ranked.rows].tolist()) == {spot.street}


def test_the_fifth_takes_the_same_nearest_history_as_the_fourth() -> None:
    for spot in random_spots(150):
        for opponent in spot.opponents:
            assert nearest("HBB5", spot, opponent) == nearest("HBB4", spot, opponent)


def test_first_try_maps_street_by_street() -> None:
    for spot in random_spots(100):
        found = tuple(
            map_street(word, active, closed=street < spot.street)
            for street, (word, active) in enumerate(zip(spot.rounds, spot.active, strict=True))
        )
        assert nearest("HBB1", spot, spot.opponents[0]) == "/".join(found)


def test_two_players_left_are_mapped_as_if_the_third_had_never_been_there() -> None:
    for text, same in (
        ("rfc/c", "rc/c"),
        ("fcc/rc/", "cc/cr/"),
        ("rfc/crrc/r", "rc/crrc/r"),
        ("rcf/rrr", "rc/rrr"),
    ):
        spot = make_spot(situation(text))
        (opponent,) = spot.opponents
        if text != "fcc/rc/":
            assert nearest("OWNBOT", spot, opponent) == same
            assert nearest("SARTRE", spot, opponent) == same
        # The small blind acts first on the flop too, as the heads-up big blind does.
        assert ALL.hero[row(nearest("OWNBOT", spot, opponent))] == acting_position(spot, opponent)


def test_a_new_mapping_in_a_few_lines() -> None:
    mine = Nearest((same_street,), (raise_differs, wrong_position, action_distance))
    ranked = mine.rank(ALL, S1, SB)
    assert "/".join(ALL.rounds[ranked.rows[0]]) == "rc/r"
    assert ranked.keys.shape == (70, 3)


# Answers.


def test_the_mean_of_the_nearest() -> None:
    policy = Synthetic()
    plain = ask_policy(mappings.HBB4, ALL, policy, S1, SB, 7, nearest=4)
    assert (plain.available, plain.skipped, plain.distances.tolist()) == (6, 0, [0, 3, 4, 6])
    said = [policy.table(int(ALL.node[one]))[7] for one in plain.rows]
    assert plain.probabilities == pytest.approx(np.array(said))
    assert plain.mean == pytest.approx(np.mean(said, axis=0))


def test_equation_8() -> None:
    policy = Synthetic()
    weighted = ask_policy(mappings.HBB4, ALL, policy, S1, SB, 7, nearest=4, weighted=True)
    weights = [1, 1 / 4, 1 / 5, 1 / 7]
    wanted = sum(weight * one for weight, one in zip(weights, weighted.probabilities, strict=True))
    assert weighted.mean == pytest.approx(wanted / sum(weights))
    assert weighted.mean.sum() == pytest.approx(1)


def test_what_is_not_reached_can_be_skipped() -> None:
    policy = Synthetic()
    everything = mappings.HBB2.rank(ALL, S1, SB).rows
    for state in range(8):
        found = ask_policy(mappings.HBB2, ALL, policy, S1, SB, state, nearest=10, skip=True)
        reached = [one for one in everything if policy.reached(int(ALL.node[one]), state)]
        assert found.rows.tolist() == reached[:10]
        assert found.skipped == everything.tolist().index(reached[9]) - 9
        assert found.distances.tolist() == action_distance(ALL, S1, SB, found.rows).tolist()


class Nowhere(Synthetic):
    def reached(self, node: int, state: int) -> bool:
        return False


def test_where_nothing_is_reached_there_is_an_answer_all_the_same() -> None:
    found = ask_policy(mappings.HBB4, ALL, Nowhere(), S1, SB, 7, nearest=2, skip=True)
    assert found.skipped == found.available == 6
    assert found.mean == pytest.approx(ask_policy(mappings.HBB4, ALL, Synthetic(), S1, SB, 7, nearest=2).mean)


def test_there_are_never_more_than_the_filter_left() -> None:
    found = ask_policy(mappings.HBB4, ALL, Synthetic(), S2, SB, 7, nearest=15)
    assert len(found.rows) == len(found.probabilities) == found.available == 2
