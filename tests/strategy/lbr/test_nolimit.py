"""Local best response in no-limit: what it wins from those of whom it is known, and the bot as it plays."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from itertools import product
from random import Random
from statistics import fmean
from typing import Any

import numpy as np
import pytest

from dealer.intervals import mean_interval
from dealer.rules.actions import CALL, FOLD, Action, raise_to
from dealer.rules.betting import Betting
from dealer.rules.cards import parse_cards
from dealer.rules.errors import GameError
from dealer.rules.evaluation import rank_hand
from dealer.rules.games import Game, holdem
from strategy.lbr.cards import Floats, equities
from strategy.lbr.nolimit import NoLimitStrategy
from strategy.lbr.response import ALL_IN, FREEDOMS, RIVER, Answers, Freedom, LbrDeal, local_best_response
from strategy.nolimit.holdem import SIZES
from strategy.nolimit.sampling import layout_of
from strategy.nolimit.training import HOLDEM_MENU, holdem_task
from strategy.nolimit.tree import betting_tree, parse_menu
from strategy.nolimit_bots.bot import NoLimitBot
from strategy.nolimit_bots.follow import Path, bets_of, follow
from strategy.nolimit_bots.policy import NoLimitPolicy, pack
from strategy.poker.combos import CARDS, CLASSES, HANDS, combo_index, live
from strategy.situation import situation_at
from tests.strategy.nolimit.games import ClassCards

Hole = tuple[int, int]

GAME = holdem(2, 50, 100, stack=2_000)
HOLE = (parse_cards("JsTd")[0], parse_cards("JsTd")[1])
BOARD = parse_cards("2h7hTc3d9h")


class Plain:
    """A strategy that looks at nothing but the bets and the board."""

    def __init__(self, does: Callable[[Betting, Sequence[int]], Answers], game: Game = GAME) -> None:
        self.game, self.answered = game, does
        self.asked: set[Action] = set()

    def start(self, position: int) -> None:
        pass

    def after(self, view: None, betting: Betting, action: Action) -> list[tuple[float, None]]:
        self.asked.add(action)
        return [(1.0, None)]

    def answers(self, view: None, betting: Betting, board: Sequence[int]) -> Answers:
        return self.answered(betting, board)


def always(*actions: Action, game: Game = GAME) -> Plain:
    """Takes the first of these actions that is legal."""

    def does(betting: Betting, board: Sequence[int]) -> Answers:
        legal = betting.legal().fold
        return Answers([next(one for one in actions if legal or one != FOLD)], np.ones((HANDS, 1)))

    return Plain(does, game)


def mixed(seed: int = 1, first: int = 0) -> Plain:
    """Folds, calls and bets the pot with probabilities of its own for every hand and betting; before the
    street ``first`` it calls.
    """

    def does(betting: Betting, board: Sequence[int]) -> Answers:
        if betting.street < first:
            return Answers([CALL], np.ones((HANDS, 1)))
        legal = betting.legal()
        actions = [FOLD, CALL] if legal.fold else [CALL]
        if legal.min_raise is not None and legal.max_raise is not None:
            to = betting.street_bet(betting.to_act) + 2 * legal.call + betting.pot
            actions.append(raise_to(min(max(to, legal.min_raise), legal.max_raise)))
        words = [action.text() for _, _, action in betting.history]
        number = int.from_bytes(Random(f"{seed} {words}").randbytes(4))
        # By class: before the flop a strategy must not tell suits apart.
        chances = np.random.default_rng(number).random((169, len(actions)))[CLASSES]
        return Answers(actions, chances / chances.sum(axis=1, keepdims=True))

    return Plain(does)


def wins(hole: Sequence[int], other: Sequence[int], board: Sequence[int]) -> float:
    mine, theirs = rank_hand([*hole, *board]), rank_hand([*other, *board])
    return (mine > theirs) + (mine == theirs) / 2


def others(known: Sequence[int]) -> list[list[int]]:
    found: list[list[int]] = CARDS[live(known)].tolist()
    return found


@pytest.mark.parametrize("bets", ["fcpa", "56"])
@pytest.mark.parametrize("depth", [20, 200])
def test_folding_always_loses_what_is_published(bets: str, depth: int) -> None:
    # Lisý and Bowling 2017, table 3. The button folds 50; the big blind checks 100 down until somebody bets.
    strategy = always(FOLD, CALL, game=holdem(2, 50, 100, stack=100 * depth))
    assert local_best_response(strategy, FREEDOMS[bets], deals=4, paths=1) == pytest.approx([750.0] * 4)


def test_folding_always_loses_less_to_whom_may_not_bet() -> None:
    # As published. Half of it comes from showdowns for one big blind each.
    won = local_best_response(always(FOLD, CALL), FREEDOMS["fc"], deals=200, paths=1, steady=True)
    interval = mean_interval(won)
    assert interval.half is not None
    assert abs(interval.mean - 250) < interval.half < 5


def test_intervals_hold_the_truth_as_often_as_they_should() -> None:
    # Who calls always and is never bet into loses nothing.
    for steady in (False, True):
        held = 0
        for seed in range(20):
            won = local_best_response(
                always(CALL), FREEDOMS["fc"], deals=12, seed=seed, paths=1, steady=steady
            )
            interval = mean_interval(won)
            assert interval.half is not None
            held += abs(interval.mean) <= interval.half
        assert held >= 17


@pytest.mark.parametrize(
    ("hole", "board", "streets"),
    [("AsAd", "2h7hTc3d9s", 4), ("AsKd", "2h7hTc3dKs", 5), ("5s4h", "2h7hTc3d9s", 0)],
)
def test_calling_always_loses_what_is_counted(hole: str, board: str, streets: int) -> None:
    """``streets``: with how many cards on the board the opponent is more often ahead than not, and all-in."""
    held, dealt = parse_cards(hole), parse_cards(board)
    known = [*held, *dealt]
    total = 0.0
    for other in others(known):
        if streets == 4:
            runouts = [card for card in range(52) if card not in {*held, *other, *dealt[:4]}]
            share = fmean(wins(held, other, [*dealt[:4], card]) for card in runouts)
        else:
            share = wins(held, other, dealt)
        total += (2_000 if streets else 100) * (2 * share - 1)
    found = LbrDeal(always(CALL), FREEDOMS["fcpa"], (held[0], held[1]), dealt)
    for player in range(2):
        assert found.play(player, Random()) == pytest.approx(total / len(others(known)))


def test_whoever_bets_with_better_hands_alone_wins_no_call() -> None:
    better = np.array([wins(HOLE, other, BOARD) == 0 for other in CARDS.tolist()]).astype(float)

    def does(betting: Betting, board: Sequence[int]) -> Answers:
        bets = better if betting.street == RIVER and betting.legal().call == 0 else 0 * better
        return Answers([CALL, raise_to(300)], np.stack((1 - bets, bets), axis=1))

    shares = [wins(HOLE, other, BOARD) for other in others([*HOLE, *BOARD])]
    found = LbrDeal(Plain(does), FREEDOMS["fc"], HOLE, BOARD)
    assert found.play(0, Random()) == pytest.approx(100 * (2 * fmean(shares) - 1))


def best_response(strategy: Plain, hole: Hole, betting: Betting, player: int, weights: Floats) -> float:
    """What a player wins with these hole cards on ``BOARD`` who may bet the pot or all-in on the river, by
    trying everything; summed over the strategy's hands.
    """
    if betting.over:
        left = weights * live([*hole, *BOARD])
        if any(betting.folded):
            paid = betting.spent[1 - player] if betting.folded[1 - player] else -betting.spent[player]
            return float(paid * left.sum())
        return float(min(betting.spent) * (left * (2 * equities(hole, BOARD) - 1)).sum())

    def after(action: Action, kept: Floats) -> float:
        next_one = betting.copy()
        next_one.act(action)
        return best_response(strategy, hole, next_one, player, kept)

    if betting.to_act != player:
        found = strategy.answered(betting, BOARD)
        return sum(after(action, weights * found.chances[:, n]) for n, action in enumerate(found.actions))
    legal = betting.legal()
    actions = [CALL]
    if betting.street == RIVER:
        actions += [FOLD] if legal.fold else []
        if legal.min_raise is not None and legal.max_raise is not None:
            pot = betting.street_bet(player) + 2 * legal.call + betting.pot
            actions += {raise_to(min(max(to, legal.min_raise), legal.max_raise)) for to in (pot, 10_000)}
    return max(after(action, weights) for action in actions)


def test_no_more_is_won_than_by_a_best_response() -> None:
    gaps = []
    for seed, text in product(range(4), ("QsJh", "JsTd", "9s8s", "5s4c")):
        strategy, hole = mixed(seed, RIVER), (parse_cards(text)[0], parse_cards(text)[1])
        hand = LbrDeal(strategy, Freedom((1.0, ALL_IN), RIVER), hole, BOARD)
        for player in range(2):
            most = best_response(strategy, hole, Betting(GAME), player, live(hole).astype(float))
            gaps.append(most / len(others([*hole, *BOARD])) - hand.play(player, Random()))
    assert min(gaps) > -1e-9
    # It looks one action ahead, so it misses something now and then, but not much.
    assert 0 < fmean(gaps) < 100


class Unsure(Plain):
    """Takes a bet for one that it folds to, or for one that it calls."""

    def __init__(self, folds: float) -> None:
        super().__init__(always(CALL).answered)
        self.folds = folds

    def after(self, view: Any, betting: Betting, action: Action) -> list[tuple[float, Any]]:
        if action.kind != "raise":
            return [(1.0, view)]
        return [(self.folds, FOLD), (1 - self.folds, CALL)]

    def answers(self, view: Any, betting: Betting, board: Sequence[int]) -> Answers:
        return Answers([view or CALL], np.ones((HANDS, 1)))


@pytest.mark.parametrize(("folds", "bets"), [(0.45, False), (0.55, True)])
def test_how_a_bet_is_taken_is_known_only_afterwards(folds: float, bets: bool) -> None:
    # With a bad hand a bet of the pot wins 100, or loses three times what is lost without.
    hole, board = parse_cards("5s4c"), parse_cards("AhKdQc9s8s")
    hand = LbrDeal(Unsure(folds), Freedom((1.0,), RIVER), (hole[0], hole[1]), board)
    found = Counter(round(hand.play(0, Random(seed))) for seed in range(200))
    shares = [wins(hole, other, board) for other in others([*hole, *board])]
    lost = 100 * (2 * fmean(shares) - 1)
    assert lost < -75
    assert found.keys() == ({100, round(3 * lost)} if bets else {round(lost)})
    assert not bets or abs(found[100] - 200 * folds) < 25


def test_luck_of_the_board_is_nothing_on_average() -> None:
    flop_and_turn = BOARD[:4]
    freedom = Freedom((1.0, ALL_IN), RIVER)
    found = np.zeros(2)
    rivers = [card for card in range(52) if card not in {*HOLE, *flop_and_turn}]
    for river in rivers:
        for number in range(2):
            hand = LbrDeal(always(CALL), freedom, HOLE, [*flop_and_turn, river], steady=number == 1)
            found[number] += hand.play(0, Random()) / len(rivers)
    # What the cards before the river changed is luck, too.
    there = live([*HOLE, *flop_and_turn])
    before = 2 * 100 * (equities(HOLE, flop_and_turn) - equities(HOLE, ()))[there].mean()
    assert found[0] - found[1] == pytest.approx(before)
    assert abs(before) > 1


def test_without_the_luck_of_the_board_the_mean_is_the_same() -> None:
    plain, even = (
        np.array(local_best_response(mixed(), FREEDOMS["fcpa"], deals=60, steady=steady))
        for steady in (False, True)
    )
    interval = mean_interval((plain - even).tolist())
    assert interval.half is not None
    assert 0 < abs(interval.mean) < interval.half
    assert even.std() < plain.std()


def test_the_56_sizes_reach_from_the_least_bet_to_all_in() -> None:
    strategy = always(CALL, game=holdem(2, 50, 100, stack=20_000))
    LbrDeal(strategy, FREEDOMS["56"], HOLE, BOARD).play(0, Random())
    sizes = sorted(action.to for action in strategy.asked if action.kind == "raise")
    assert (sizes[0], sizes[-1]) == (100, 19_900)
    ratios = np.array(sizes[1:]) / np.array(sizes[:-1])
    assert 1.14 < np.median(ratios) < 1.16
    assert ratios.max() < 1.25


def test_stacks_must_be_equal() -> None:
    with pytest.raises(GameError, match="equal"):
        local_best_response(always(CALL, game=holdem(2, 50, 100, stack=(900, 800))), FREEDOMS["fc"], deals=1)


# The bot nolimit.


def random_policy(menu: str = HOLDEM_MENU, depth: int = 20, seed: int = 1) -> NoLimitPolicy:
    task = holdem_task(depth, menu)
    tree = betting_tree(task.game, parse_menu(menu, 4))
    layout = layout_of(tree, SIZES)
    found = np.random.default_rng(seed).random(layout.size).astype(np.float32)
    for node in np.flatnonzero(tree.player >= 0).tolist():
        street = int(tree.street[node])
        first = layout.slot(street, node, 0) + np.arange(SIZES[street]) * int(layout.width[street])
        rows = first[:, np.newaxis] + np.arange(tree.choices[node])
        found[rows] /= found[rows].sum(axis=1, keepdims=True)
    return NoLimitPolicy(task, ClassCards(), np.frombuffer(pack(tree, found), np.uint8))


POLICY = random_policy()


def random_action(betting: Betting, random: Random) -> Action:
    legal = betting.legal()
    if legal.min_raise is None or legal.max_raise is None or random.random() < 0.5:
        return CALL
    return raise_to(random.choice((legal.min_raise, random.randint(legal.min_raise, legal.max_raise))))


@pytest.mark.parametrize("stack", [2_000, 2_500, 3_000])
def test_it_meets_the_bot_as_it_plays_at_the_table(stack: int) -> None:
    """In hands with any bets the strategy is where the bot is, and does what it does with each hand."""
    game = holdem(2, 50, 100, stack=stack)
    strategy, bot = NoLimitStrategy(POLICY, game), NoLimitBot(1, game)
    ended = seen = 0
    for seed in range(150):
        random = Random(seed)
        position = seed % 2
        betting, view, drawn = Betting(game), strategy.start(position), list[float]()
        while not betting.over:
            board = tuple(BOARD[: (0, 3, 4, 5)[betting.street]])
            action = random_action(betting, random)
            situation = situation_at(betting, HOLE, board)
            bets = bets_of(situation, (100, 50), (0, 0))
            path = follow(POLICY.tree, POLICY.sizes, bets, position, drawn.__getitem__)
            assert path is not None
            assert path.node == view[0]
            if betting.to_act == position:
                found = strategy.answers(view, betting, board)
                hand = combo_index(*HOLE)
                expected = bot.weigh(POLICY, Path((), view[0]), situation)
                chances = dict(zip(found.actions, found.chances[hand].tolist(), strict=True))
                assert {one: chance for one, chance in chances.items() if chance} == pytest.approx(expected)
                assert len(set(found.actions)) == len(found.actions)
                ended += POLICY.tree.player[view[0]] < 0
                seen += 1
                action = random.choices(found.actions, found.chances[hand].tolist())[0]
                if action == FOLD:
                    break
            views = strategy.after(view, betting, action)
            if not views:
                # Deeper than the strategy: its all-in is none, and may be raised.
                assert stack == 3_000
                assert action.kind == "raise"
                assert betting.to_act != position
                break
            assert sum(chance for chance, _ in views) == pytest.approx(1)
            drawn.append(random.random())
            view = views[0 if drawn[-1] < views[0][0] else -1][1]
            betting.act(action)
    assert seen > 150
    assert ended > 0


def test_no_raise_is_made_for_which_the_strategy_has_no_place() -> None:
    strategy = NoLimitStrategy(random_policy("1/1/1/1"), GAME)
    after = []
    for position in range(2):
        betting, view = Betting(GAME), strategy.start(position)
        for action in (CALL, raise_to(300)):
            ((_, view),) = strategy.after(view, betting, action)
            betting.act(action)
        after.append([chance for chance, _ in strategy.after(view, betting, raise_to(900))])
    # Position 1 raises: not if it is the opponent, and if it is the strategy itself that is a call there.
    assert after == [[], [1.0]]
    assert len(local_best_response(strategy, FREEDOMS["fcpa"], deals=2, paths=2)) == 2


def test_the_same_again() -> None:
    for freedom in FREEDOMS.values():

        def won(seed: int) -> list[float]:
            strategy = NoLimitStrategy(POLICY, GAME)
            return local_best_response(strategy, freedom, deals=2, seed=seed, paths=2, steady=True)  # noqa: B023

        first = won(3)
        assert first == won(3)
        assert first != won(4)
        assert all(0 < abs(one) < 20_000 for one in first)
