from __future__ import annotations

from itertools import combinations
from random import Random

import pytest

from dealer.rules.actions import CALL, FOLD, Action, parse_action, raise_to
from dealer.rules.betting import Betting
from dealer.rules.cards import parse_cards
from dealer.rules.games import Game, holdem
from dealer.rules.hand import HandState
from strategy.polaris.bot import CARDS_WORTH, PolarisBot, action_worth, cards_luck
from strategy.polaris.parameters import PolarisParameters
from strategy.registry import create_strategy
from strategy.situation import situation_at
from tests.strategy.play import as_seen, decisions, shuffled

LIMIT = holdem(2, 5, 10, limit=True)
NO_LIMIT = holdem(2, 50, 100, stack=10_000)


@pytest.mark.parametrize("opponents", [1, 2, 5])
def test_the_luck_of_ones_cards_is_nothing_on_average(opponents: int) -> None:
    lucks = [cards_luck(hole, opponents) for hole in combinations(range(52), 2)]
    assert sum(lucks) / len(lucks) == pytest.approx(0, abs=0.001 * CARDS_WORTH)


def test_an_action_is_worth_what_a_showdown_brings() -> None:
    betting = Betting(NO_LIMIT)
    for text in ("r300", "c"):
        betting.act(parse_action(text))
    best = situation_at(betting, parse_cards("AsKs"), parse_cards("QsJsTs"))
    assert action_worth(best, FOLD) == -300
    assert action_worth(best, CALL) == 300
    assert action_worth(best, raise_to(500)) == 800
    worst = situation_at(betting, parse_cards("3h2d"), parse_cards("QsJsTs"))
    assert 0 > action_worth(worst, CALL) > action_worth(worst, raise_to(500))


def test_a_raise_of_a_limit_game_has_its_size() -> None:
    betting = Betting(LIMIT)
    betting.act(parse_action("c"))
    aces = situation_at(betting, parse_cards("AsAh"), ())
    assert action_worth(aces, Action("raise")) == pytest.approx(2 * action_worth(aces, CALL))


def against(name: str, game: Game, hands: int, parameters: PolarisParameters | None = None) -> PolarisBot:
    """Play against a house bot from both seats in turn, and return the bot."""
    bot, random = PolarisBot(7, game, parameters), Random(7)
    for number in range(hands):
        other = create_strategy(name, number, game)
        seat, seen = number // 2 % 2, 0
        for hand, _ in decisions(game, [other, bot] if seat else [bot, other], shuffled(game, random)):
            seen = show(bot, hand, seat, seen)
        show(bot, hand, seat, seen)
    return bot


def show(bot: PolarisBot, hand: HandState, seat: int, seen: int) -> int:
    for event in hand.events[seen:]:
        bot.observe(as_seen(event, seat))
    return len(hand.events)


@pytest.mark.parametrize("game", [LIMIT, NO_LIMIT], ids=["limit", "no-limit"])
def test_every_hand_is_counted_for_who_played_it(game: Game) -> None:
    bot = against("call", game, 60)
    assert sum(bot.pool.hands) == 60
    assert all(hands == 0 or total for hands, total in zip(bot.pool.hands, bot.pool.totals, strict=True))


def test_without_doubt_it_plays_as_its_first() -> None:
    bot = against("raise", LIMIT, 20, PolarisParameters(doubt=0))
    assert bot.pool.hands == [20, 0, 0, 0]


@pytest.mark.parametrize("players", [2, 3, 6])
@pytest.mark.parametrize(
    ("limit", "first"), [(True, {2: "CfrBot"}), (False, dict.fromkeys((2, 3, 6), "NoLimitBot"))]
)
def test_it_owns_each_strategy_that_plays_there(limit: bool, first: dict[int, str], players: int) -> None:
    game = holdem(players, 5, 10, limit=limit, stack=None if limit else 1000)
    names = [type(member).__name__ for member in PolarisBot(7, game).members]
    expected = [first[players]] if players in first else []
    assert names == [*expected, "FairBot", "Adaptive2Bot", "Loki2"]


def test_it_tells_the_chances_of_the_one_that_plays() -> None:
    bot = PolarisBot(7, LIMIT, PolarisParameters(doubt=0))
    first = create_strategy("cfr", 7, LIMIT)
    situation = situation_at(Betting(LIMIT), parse_cards("9c8c"), ())
    assert bot.decide(situation) == first.decide(situation)
    assert bot.chances == getattr(first, "chances")  # noqa: B009
