"""``adaptive2``: what it adds, and that chance follows from its seed."""

from __future__ import annotations

import json
from collections.abc import Sequence
from hashlib import sha256
from itertools import takewhile
from typing import Any

import pytest

from dealer.deck import secure_deals
from dealer.formats.fixed import FixedStacks
from dealer.match import Division
from dealer.rules.actions import Action, parse_action
from dealer.rules.betting import Betting
from dealer.rules.cards import parse_cards
from dealer.rules.events import Acted, BoardDealt, Event, HandEnded, HandStarted, Shown
from dealer.rules.games import holdem
from strategy.adaptive.parameters import TUNED_PATH, Adaptive2Parameters
from strategy.adaptive.second import Adaptive2Bot
from strategy.adaptive.value import preflop_value
from strategy.parameters import BadParameters, read_parameters
from strategy.poker.strength import hand_strength
from strategy.registry import create_strategy
from strategy.situation import Situation, situation_at
from studies.aceituno.tune import ADAPTIVE2
from studies.harness.arena import Contest, ContestEntry, FixedTable
from studies.harness.session import play_session

SEED = sha256(b"adaptive2").digest()
START = {key: start for key, (start, _, _) in ADAPTIVE2.items()}
WEIGHTS = ("weight_v", "weight_p", "weight_b", "weight_s")
PLAIN = {**START, "weight_v": 1, "weight_p": 0, "weight_b": 0, "weight_s": 0, "bluff": 0, "mu": 0}


def bot(players: int = 2, seed: int = 1, **values: float) -> Adaptive2Bot:
    return Adaptive2Bot(
        seed, holdem(players, 5, 10), read_parameters(Adaptive2Parameters, {**PLAIN, **values})
    )


def facing(actions: str, hole: str, board: str = "", players: int = 2) -> Situation:
    betting = Betting(holdem(players, 5, 10, stack=1000))
    for action in actions.split():
        betting.act(parse_action(action))
    return situation_at(betting, parse_cards(hole), parse_cards(board))


def test_the_value_after_the_flop_is_the_effective_strength() -> None:
    hole, board = "AhKd", "Kc7s2h5d9c"
    one = bot().value(facing("c c c c c c", hole, board))
    assert one == pytest.approx(hand_strength(parse_cards(hole), parse_cards(board)))
    three = bot(4).value(facing("c " * 12, hole, board, players=4))
    assert three == pytest.approx(one**3)


def test_before_the_flop_it_is_the_document_s() -> None:
    situation = facing("", "AhKd")
    assert bot().value(situation) == preflop_value(situation.hole)


def test_a_draw_is_worth_more_than_it_is_now() -> None:
    draw, nothing = (bot().value(facing("c c", hole, "Kh7h2c")) for hole in ("Qh3h", "Qs3d"))
    assert draw > nothing + 0.1


def test_thresholds_move_with_the_crowd_and_the_table() -> None:
    situation, crowded = facing("", "AhKd"), facing("", "AhKd", players=5)
    assert bot(5, crowd=0.02).thresholds(crowded)[0] == pytest.approx(
        bot().thresholds(situation)[0] + 3 * 0.02
    )
    assert bot(5, crowd=-0.04).thresholds(crowded)[0] == pytest.approx(
        bot().thresholds(situation)[0] - 3 * 0.04
    )
    wary = bot(caution=0.1)
    before = wary.thresholds(situation)
    wary.profiles.aggression = 1.0
    assert [
        after - was for after, was in zip(wary.thresholds(situation), before, strict=True)
    ] == pytest.approx([0.08, 0.08])


def test_beyond_five_players_it_becomes_more_careful_again() -> None:
    raises = [bot(n, crowd=-0.04).thresholds(facing("", "AhKd", players=n))[0] for n in range(2, 11)]
    assert raises[:4] == sorted(raises[:4], reverse=True)
    assert raises[3:] == sorted(raises[3:])
    assert raises[8] == pytest.approx(raises[3] + 5 * 0.06)


@pytest.mark.parametrize("players", [8, 10])
def test_at_a_full_table_it_folds_much_and_does_not_lose(players: int) -> None:
    won, folded = full_table(players)
    assert folded > 0.25
    assert won > 0


def full_table(players: int) -> tuple[float, float]:
    """Chips won against copies of ``adaptive`` at every seat, and how often it folds before the flop."""
    others = {f"best{number}": ContestEntry("adaptive") for number in range(1, players)}
    entries = {"me": ContestEntry("adaptive2"), **others}
    division = Division("full", tuple(entries), players, 1, 60, "rotations")
    contest = Contest(division, FixedTable(holdem(players, 5, 10, stack=1000)), entries, SEED)
    first: list[str] = []
    chips = 0.0
    for session in contest.sessions:
        own = session.players.index("me")

        def note(events: Sequence[Event], own: int = own) -> None:
            before = takewhile(lambda event: not isinstance(event, BoardDealt), events)
            first.extend([e.action for e in before if isinstance(e, Acted) and e.seat == own][:1])

        chips += sum(row[own] for row in contest.play(session, note).nets)
    return chips, first.count("fold") / len(first)


def test_a_bet_of_who_never_bets_is_respected() -> None:
    player = bot(respect=0.2)
    _learn(player, raises=0)
    timid = player.thresholds(facing("r30", "AhKd"))[1]
    player = bot(respect=0.2)
    _learn(player, raises=60)
    bold = player.thresholds(facing("r30", "AhKd"))[1]
    assert timid > bold + 0.1


def _learn(player: Adaptive2Bot, *, raises: int = 0, folds: bool = False) -> None:
    """Show the player sixty hands of the one in seat 1, who has the button."""
    for number in range(60):
        player.observe(HandStarted(number, (0, 1), 1, (1000, 1000), (0, 0), (10, 5), ((1, 2), ())))
        action = "raise" if number < raises else "fold" if folds else "call"
        player.observe(Acted(1, action, 0 if action == "fold" else 20 if action == "raise" else 10, 5, False))


def test_a_bet_of_who_shows_bluffs_is_called_with_less() -> None:
    folds_below = []
    for hole in ("7h2d", "AsAd"):
        player = bot(catch=0.2)
        for number in range(60):
            player.observe(HandStarted(number, (0, 1), 1, (1000, 1000), (0, 0), (10, 5), ((1, 2), ())))
            player.observe(Acted(1, "raise", 30, 25, False))
            player.observe(Shown(((1, parse_cards(hole)),)))
        folds_below.append(player.thresholds(facing("r30", "KhQd"))[1])
    liar, honest = folds_below
    assert liar < honest - 0.1


@pytest.mark.parametrize("loose", [0, 1])
def test_who_shows_loose_calls_meets_larger_raises_and_no_bluff(loose: float) -> None:
    sizes, bluffs = [], []
    for hole in ("7h2d", "AsAd"):
        player = bot(loose=loose, bluff=1, raise_preflop=1, fold_preflop=0)
        for number in range(60):
            player.observe(HandStarted(number, (0, 1), 1, (1000, 1000), (0, 0), (10, 5), ((1, 2), ())))
            player.observe(Acted(0, "raise", 30, 20, False))
            player.observe(Acted(1, "call", 30, 25, False))
            player.observe(Shown(((1, parse_cards(hole)),)))
        player.profiles.fold_rate = lambda seat, *, late: 0.8  # type: ignore[method-assign]
        sizes.append(player.raise_size(facing("c", "AhAd"), 0.2, 0))
        bluffs.append(player.decide(facing("c", "7h2d")).kind == "raise")
    if loose:
        assert sizes[0] > 1.5 * sizes[1]
        assert bluffs == [False, True]
    else:
        assert sizes[0] == sizes[1]
        assert bluffs == [True, True]


@pytest.mark.parametrize(("mu", "result"), [(0, -50), (0.01, -50), (0.01, 50)])
def test_thresholds_rise_after_losses_on_the_streets_where_they_were_made(mu: float, result: int) -> None:
    player = bot(mu=mu)
    before = list(player.learned)
    for number in range(10):
        player.observe(HandStarted(number, (0, 1), 1, (1000, 1000), (0, 0), (10, 5), ((1, 2), ())))
        player.observe(BoardDealt(1, parse_cards("Kc7s2h")))
        player.observe(Acted(0, "raise", 40, 40, False))
        player.observe(HandEnded(number, None, (), (result, -result), (1000, 1000)))
    first, later = player.learned
    assert first == before[0]  # no action of his before the flop
    moved = mu if result < 0 else 0
    assert later == pytest.approx((before[1].raise_at + moved, before[1].fold_below))


def test_it_bluffs_those_who_fold_and_no_others() -> None:
    situation = facing("c", "7h2d")  # the button has called
    for folds in (True, False):
        player = bot(bluff=1, raise_preflop=1, fold_preflop=0)
        _learn(player, folds=folds)
        assert (player.decide(situation).kind == "raise") == folds


def test_nobody_who_is_all_in_can_be_bluffed() -> None:
    betting = Betting(holdem(3, 5, 10, stack=(1000, 1000, 30)))
    for action in ["r30", "c"]:
        betting.act(parse_action(action))
    player = bot(3, bluff=1, raise_preflop=1, fold_preflop=0)
    player.profiles.fold_rate = lambda seat, *, late: 1.0  # type: ignore[method-assign]
    assert player.decide(situation_at(betting, parse_cards("7h2d"), ())).kind != "raise"


def sizes(hole: str, **values: float) -> list[int]:
    player = bot(2, 1, raise_preflop=0.2, fold_preflop=0, **values)
    return [player.decide(facing("c", hole)).to for _ in range(300)]


def test_sizes_are_mixed_and_do_not_tell_the_hand() -> None:
    strong, weak = sizes("AhAd", size_worth=0), sizes("9h8d", size_worth=0)
    assert len(set(strong)) > 10
    assert set(strong) == set(weak)


def test_sizes_grow_with_the_hand_where_that_is_wished() -> None:
    assert min(sizes("AhAd", size_worth=3)) > max(sizes("9h8d", size_worth=3))


def test_chance_follows_from_the_seed() -> None:
    def actions(seed: int) -> list[Action]:
        player = bot(seed=seed, raise_preflop=0.2, fold_preflop=0)
        return [player.decide(facing("c", "AhAd")) for _ in range(20)]

    assert actions(1) == actions(1)
    assert actions(1) != actions(2)


@pytest.mark.parametrize("players", range(2, 11))
@pytest.mark.parametrize("limit", [False, True])
def test_it_plays_any_hold_em_legally(players: int, limit: bool) -> None:
    game = holdem(players, 5, 10, stack=300, limit=limit)
    strategies = [create_strategy(("adaptive2", "random")[seat % 2], seat, game) for seat in range(players)]
    hands: list[Sequence[Event]] = []
    play_session(FixedStacks(game, secure_deals(SEED, players, game), 30), strategies, hands.append)
    assert len(hands) == 30


def test_the_parameters_that_were_found_are_the_defaults_and_say_how() -> None:
    found = json.loads(TUNED_PATH.read_text("ascii"))
    assert set(found["parameters"]) == set(ADAPTIVE2)
    for key, value in found["parameters"].items():
        assert getattr(Adaptive2Parameters(), key) == value
        _, low, high = ADAPTIVE2[key]
        assert low <= value <= high
    assert found["found"]["start"] == START
    assert len(found["found"]["median_by_generation"]) == found["found"]["generations"]


@pytest.mark.parametrize(
    ("values", "key"),
    [
        ({"bluff": 2}, "bluff"),
        ({"size": "big"}, "size"),
        ({"nerve": 1}, "nerve"),
        (dict.fromkeys(WEIGHTS, 0), ", ".join(WEIGHTS)),
        ({"raise_preflop": 0.2, "fold_preflop": 0.21}, "raise_preflop"),
        ({"raise_postflop": 0.2, "fold_postflop": 0.21}, "raise_postflop"),
    ],
)
def test_bad_parameters_are_refused(values: dict[str, Any], key: str) -> None:
    with pytest.raises(BadParameters) as refusal:
        read_parameters(Adaptive2Parameters, values)
    assert refusal.value.key == key


def test_thresholds_may_meet_and_one_weight_is_enough() -> None:
    values = dict.fromkeys(WEIGHTS[1:], 0) | {"raise_preflop": 0.2, "fold_preflop": 0.2}
    assert read_parameters(Adaptive2Parameters, values).weights == (1, 0, 0, 0)
