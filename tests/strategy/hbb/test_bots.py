from __future__ import annotations

from collections import Counter
from dataclasses import replace
from random import Random
from typing import Any

import numpy as np
import pytest

from dealer.rules.cards import parse_cards
from dealer.rules.games import holdem, load_game
from strategy.baseline.fair import FairBot
from strategy.checks import UnplayableGame
from strategy.mapping_bots import bots
from strategy.mapping_bots.bias import finer_shift, fold_shift, shift_folds
from strategy.mapping_bots.bot import MappedBot
from strategy.mapping_bots.histories import histories
from strategy.mapping_bots.parameters import HbbParameters, HybridParameters, MappingParameters, MaxParameters
from strategy.mapping_bots.spot import make_spot
from strategy.parameters import BadParameters
from strategy.registry import parameters_of
from strategy.situation import Situation, SituationError
from tests.docs.pages import ROOT, blocks
from tests.strategy.hbb.synthetic import THREE, Synthetic, situation
from tests.strategy.play import GAMES, actions, play, shuffled

POLICY = Synthetic()
ALL = histories()
NAMES = (
    "Hbb1",
    "Hbb2",
    "Hbb3",
    "Hbb4",
    "Hbb5",
    "Hbb5Max",
    "HybridHbb1",
    "HybridHbb2",
    "HybridHbb3",
    "HybridHbb4",
    "HybridHbb5",
    "OwnBot",
    "SartreBot",
)
CLASSES: tuple[type[MappedBot], ...] = tuple(getattr(bots, name) for name in NAMES)
HOLDEM = {name: game for name, game in GAMES.items() if game.ranks == 13}


def bot(kind: type[MappedBot] = bots.Hbb2, seed: int = 1, game: Any = THREE, **settings: Any) -> MappedBot:
    parameters = kind.Parameters(**settings) if settings else None
    return kind(seed, game, parameters, policy=POLICY)


def chances(player: MappedBot, seen: Situation) -> list[float]:
    found: list[float] = player.probabilities(seen, make_spot(seen)).tolist()
    return found


def says(text: str, seen: Situation) -> list[float]:
    """What the synthetic strategy says at a heads-up history, with the cards of the situation."""
    node = int(ALL.node[ALL.row_of[tuple(text.split("/"))]])
    found: list[float] = POLICY.table(node)[POLICY.card_state(seen.hole, seen.board)].tolist()
    return found


@pytest.mark.parametrize("game", HOLDEM.values(), ids=HOLDEM)
@pytest.mark.parametrize("kind", CLASSES, ids=NAMES)
def test_every_bot_plays_every_holdem_game(kind: type[MappedBot], game: Any) -> None:
    players = [kind(seat, game, policy=POLICY) for seat in range(game.players)]
    random = Random(3)
    for number in range(2):
        cards = shuffled(game, random)
        hand = play(game, players, cards, number=number)
        again = play(
            game, [kind(seat, game, policy=POLICY) for seat in range(game.players)], cards, number=number
        )
        assert actions(hand) == actions(again)


@pytest.mark.parametrize("kind", CLASSES, ids=NAMES)
def test_only_holdem_is_played(kind: type[MappedBot]) -> None:
    with pytest.raises(UnplayableGame):
        kind(1, load_game("leduc.limit.2p"), policy=POLICY)


def test_nonsense_is_refused() -> None:
    seen = situation("rcc/rr")
    with pytest.raises(SituationError):
        bot().decide(seen._replace(board=seen.board[:2]))
    with pytest.raises(SituationError):
        bot().decide(seen._replace(hole=seen.board[:2]))
    with pytest.raises(SituationError):
        bot().decide(seen._replace(folded=(True, True, False)))


# Three players.


def test_two_opponents_are_asked_about_one_by_one_and_averaged() -> None:
    seen = situation("rcc/rcr")
    player = bot(bots.Hbb2)
    first, second = player.answers(seen, make_spot(seen))
    assert [first.opponent, second.opponent] == [1, 2]
    assert ALL.rounds[first.rows[0]] != ALL.rounds[second.rows[0]]
    assert chances(player, seen) == pytest.approx((first.mean + second.mean) / 2)


def test_with_one_opponent_left_he_alone_counts() -> None:
    seen = situation("rfc/r")
    (only,) = bot(bots.Hbb2).answers(seen, make_spot(seen))
    assert ALL.rounds[only.rows[0]] == ("rc", "r")
    assert chances(bot(bots.Hbb2), seen) == pytest.approx(says("rc/r", seen))


def test_settings_reach_the_answers() -> None:
    seen = situation("rcc/rr")
    spot = make_spot(seen)
    plain, weighted = (bot(bots.Hbb4, nearest=5, weighted=one) for one in (False, True))
    assert len(plain.answers(seen, spot)[0].rows) == 5
    assert chances(plain, seen) != chances(weighted, seen)
    skipping = bot(bots.Hbb2, nearest=20, nan="skip").answers(seen, spot)[0]
    assert skipping.skipped > 0
    assert bot(bots.Hbb2, nearest=20).answers(seen, spot)[0].skipped == 0


def test_what_is_not_legal_has_no_chance() -> None:
    # Two checks are mapped to one, after which heads-up nobody can fold either; a bet before to one bet.
    for text in ("ccc/", "ccc/cc", "rcc/rcc/", "ccc/rrrr", "rrr"):
        seen = situation(text)
        for kind in CLASSES:
            fold, call, raised = chances(bot(kind), seen)
            assert fold + call + raised == pytest.approx(1)
            assert seen.legal.fold or fold == 0
            assert seen.legal.min_raise is not None or raised == 0


def test_a_fold_that_would_be_free_is_a_check_and_a_raise_too_many_a_call() -> None:
    seen, one = situation("ccc/cc"), situation("rcc/r")
    spot = make_spot(one)
    player = bot(bots.Hbb1)
    fold, call, raised = chances(player, one)
    assert min(fold, call, raised) > 0
    free = one._replace(legal=seen.legal)
    assert player.probabilities(free, spot).tolist() == pytest.approx([0, fold + call, raised])
    assert player.probabilities(one, spot._replace(can_raise=False)).tolist() == pytest.approx(
        [fold, call + raised, 0]
    )


def test_actions_are_drawn_with_their_chances() -> None:
    seen = situation("rcc/rr")
    drawn = Counter(bot(bots.Hbb2, seed).decide(seen).kind for seed in range(800))
    for kind, chance in zip(("fold", "call", "raise"), chances(bot(bots.Hbb2), seen), strict=True):
        assert drawn[kind] / 800 == pytest.approx(chance, abs=4 * (chance * (1 - chance) / 800) ** 0.5 + 1e-9)


def test_a_decision_is_a_function_of_seed_and_situation() -> None:
    seen = [situation("rcc/rr", hand=number) for number in range(40)]
    one, other = bot(), bot()
    forward = [one.decide(each) for each in seen]
    assert forward == [other.decide(each) for each in reversed(seen)][::-1]
    assert forward != [bot(seed=2).decide(each) for each in seen]
    assert len(set(forward)) > 1


def test_the_likeliest_action() -> None:
    for text in ("rcc/rr", "", "r", "rcc/rcc/r"):
        seen = situation(text)
        wanted = ("fold", "call", "raise")[int(np.argmax(chances(bot(bots.Hbb5), seen)))]
        for seed in range(5):
            assert bot(bots.Hbb5Max, seed).decide(seen).kind == wanted
            assert bot(bots.Hbb5, seed, argmax=True).decide(seen).kind == wanted


def test_of_equally_likely_actions_the_call_is_taken() -> None:
    class Even(Synthetic):
        def table(self, node: int) -> Any:
            return np.full((625, 3), 1 / 3, np.float32)

    assert bots.Hbb5Max(1, THREE, policy=Even()).decide(situation("rcc/rr")).kind == "call"


# The bias.


@pytest.mark.parametrize("kind", [bots.Hbb1, bots.Hbb2, bots.Hbb3, bots.Hbb5])
def test_before_the_flop_against_two_folds_are_shifted(kind: type[MappedBot]) -> None:
    seen = situation("r", "8c4d")
    plain = bot(kind).probabilities(seen, make_spot(seen))
    shifts = {
        "hyperborean": fold_shift(kind.own_table, parse_cards("8c4d")),
        "hbb6": finer_shift(kind.own_table, seen),
    }
    for bias, shift in shifts.items():
        assert abs(shift) > 0.04
        assert chances(bot(kind, bias=bias), seen) == pytest.approx(shift_folds(plain, shift))


@pytest.mark.parametrize("text", ["cc", "rf", "rcc/r"], ids=["nothing to pay", "one opponent", "the flop"])
def test_elsewhere_they_are_not(text: str) -> None:
    # A shift of more than half, and more than a check to shift: it would be seen.
    seen = situation(text, "Td6c")
    plain = chances(bot(), seen)
    assert abs(fold_shift("hbb2", parse_cards("Td6c"))) > 0.5
    assert plain[2] > 0.1
    assert chances(bot(bias="hyperborean"), seen) == plain


def test_the_finer_bias_also_shifts_later_folds_against_two() -> None:
    seen = situation("rcc/r", "Td6c")
    shift = finer_shift("hbb2", seen)
    assert shift != 0
    plain = bot().probabilities(seen, make_spot(seen))
    assert chances(bot(bias="hbb6"), seen) == pytest.approx(shift_folds(plain, shift))
    alone = situation("rfc/r", "Td6c")
    assert chances(bot(bias="hbb6"), alone) == chances(bot(), alone)


# When the mapping decides.


@pytest.mark.parametrize(
    ("text", "folded", "folded_preflop"),
    [
        ("", False, False),
        ("f", True, True),
        ("rc", False, False),
        ("rfc/r", True, True),
        ("rcc/rf", True, False),
        ("rcc/rfc/", True, False),
        ("rcc/r", False, False),
    ],
)
def test_when_the_mapping_decides(text: str, folded: bool, folded_preflop: bool) -> None:
    spot = make_spot(situation(text))
    assert bot(bots.Hbb3).uses_mapping(spot)
    assert bot(bots.HybridHbb3, when="always").uses_mapping(spot)
    assert bot(bots.HybridHbb3).uses_mapping(spot) == folded
    assert bot(bots.HybridHbb3, when="folded").uses_mapping(spot) == folded
    assert bot(bots.OwnBot).uses_mapping(spot) == folded
    assert bot(bots.HybridHbb3, when="folded_preflop").uses_mapping(spot) == folded_preflop
    assert bot(bots.SartreBot).uses_mapping(spot) == folded_preflop


@pytest.mark.parametrize("kind", [bots.OwnBot, bots.SartreBot, bots.HybridHbb4])
def test_else_fair_decides(kind: type[MappedBot]) -> None:
    fair = FairBot(1, THREE)
    for text in ("", "r", "rcc/", "rcc/rr", "ccc/ccc/r"):
        for hole in ("AhKd", "QhJd", "4c4d"):
            seen = situation(text, hole)
            assert bot(kind).decide(seen) == fair.decide(seen)


def test_at_larger_tables_fair_decides_until_three_are_left() -> None:
    game = holdem(6, 5, 10, limit=True)
    player = bot(bots.Hbb2, game=game)
    for text, decides in (("", False), ("ff", False), ("fff", True), ("fffcc", True), ("ffcfcc/", True)):
        assert player.uses_mapping(make_spot(situation(text, game=game))) == decides
    seen = situation("ff", game=game)
    assert player.decide(seen) == FairBot(1, game).decide(seen)
    assert bot(bots.OwnBot, game=game).uses_mapping(make_spot(situation("ffffc", game=game)))
    assert not bot(bots.OwnBot, game=game).uses_mapping(make_spot(situation("fffc", game=game)))


# Heads-up, and no-limit.


@pytest.mark.parametrize("kind", CLASSES, ids=NAMES)
@pytest.mark.parametrize("name", ["holdem.limit.2p.reverse_blinds", "holdem.limit.2p.liu"])
def test_heads_up_it_is_the_strategy_itself(kind: type[MappedBot], name: str) -> None:
    game = load_game(name)
    for text in ("", "r", "crc/", "rc/crr", "rrrc/crrrc/cc/r"):
        seen = situation(text, game=game)
        assert chances(bot(kind, game=game, nearest=5), seen) == pytest.approx(says(text, seen))


def test_heads_up_with_more_raises_than_the_strategy_knows() -> None:
    game = replace(load_game("holdem.limit.2p.reverse_blinds"), max_raises=(9, 9, 9, 9))
    seen = situation("rrrrrr", game=game)
    player = bot(bots.Hbb2, game=game)
    (only,) = player.answers(seen, make_spot(seen))
    assert ALL.street[only.rows[0]] == 0
    assert sum(chances(player, seen)) == pytest.approx(1)


def test_no_limit_raises_are_of_the_size_of_the_pot() -> None:
    game = load_game("holdem.nolimit.3p")
    seen = situation("", game=game)
    drawn = [bot(seed=seed, game=game).decide(seen) for seed in range(30)]
    # A call of one big blind makes the pot two and a half.
    assert {action.to for action in drawn if action.kind == "raise"} == {350}


def test_no_limit_bets_above_the_pot_are_answered_by_fair() -> None:
    game = load_game("holdem.nolimit.3p")
    preflop, flop = make_spot(situation("", game=game)), make_spot(situation("ccc/", game=game))
    for spot, decides in (
        (preflop, True),
        # To 3.5 big blinds, and to 4.
        (preflop._replace(pot=10.0, to_call=7.0), True),
        (preflop._replace(pot=11.0, to_call=8.0), False),
        (flop._replace(pot=12.0, to_call=6.0), True),
        (flop._replace(pot=12.5, to_call=6.5), False),
    ):
        assert bot(game=game).uses_mapping(spot) == decides
    assert bot().uses_mapping(flop._replace(pot=12.5, to_call=6.5))


# Parameters, and what the documentation says.


def test_parameters_from_plain_values() -> None:
    assert parameters_of("hbb4", {"nearest": 5, "weighted": True}) == HbbParameters(nearest=5, weighted=True)
    assert parameters_of("hbb5-max", {}) == MaxParameters()
    assert parameters_of("hybrid-hbb2", {"when": "always"}) == HybridParameters(when="always")
    assert parameters_of("ownbot", {"argmax": True}) == MappingParameters(argmax=True)


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("hbb1", {"nearest": 0}),
        ("hbb2", {"bias": "akuma"}),
        ("sartre", {"bias": "none"}),
        ("hbb3", {"when": "always"}),
    ],
)
def test_others_are_refused(name: str, values: dict[str, object]) -> None:
    with pytest.raises(BadParameters):
        parameters_of(name, values)


def test_the_mapping_of_the_documentation_plays() -> None:
    (block,) = [one for one in blocks(ROOT / "docs" / "bots.md", "text") if "MappedBot" in one.text]
    known: dict[str, Any] = {}
    exec(block.text, known)
    mine = bot(known["MyBot"])
    seen = situation("rcc/rr")
    assert "/".join(ALL.rounds[mine.answers(seen, make_spot(seen))[0].rows[0]]) == "rc/rrr"
    play(THREE, [mine, mine, mine], shuffled(THREE, Random(1)))
