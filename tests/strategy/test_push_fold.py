"""Every house bot plays legally where all is all-in or fold."""

from __future__ import annotations

from random import Random

import pytest

from dealer.deck import secure_deals
from dealer.formats.cash import Cash
from dealer.formats.format import Stakes
from dealer.rules.actions import Action
from dealer.rules.events import Acted, Event
from strategy.checks import verify_situation
from strategy.registry import Strategy, create_strategy, strategy_names
from strategy.situation import Situation, parse_situation
from studies.harness.session import play_session
from tests.strategy.play import play as play_hand
from tests.strategy.play import shuffled

STAKES = Stakes(50, 100, rules="pushfold", depth=(1, 10))
SEED = bytes(range(32))


class Checked:
    """A strategy whose situations are looked at."""

    def __init__(self, inner: Strategy) -> None:
        self.inner = inner
        self.asked = 0
        if hasattr(inner, "observe"):
            self.observe = inner.observe

    def decide(self, situation: Situation) -> Action:
        verify_situation(Situation(*situation))
        assert parse_situation(situation.text()) == situation
        self.asked += 1
        return self.inner.decide(situation)


@pytest.mark.parametrize("players", [2, 3, 6])
@pytest.mark.parametrize("name", strategy_names())
def test_every_bot_plays_all_in_or_fold(name: str, players: int) -> None:
    """An illegal action would end the match with its refusal."""
    form = Cash(players, STAKES, lambda game: secure_deals(SEED, players, game), hands=12, all_seated=True)
    checked = Checked(create_strategy(name, 1, form.game))
    others = [create_strategy("random", seat, form.game) for seat in range(1, players)]
    told: list[Event] = []
    play_session(form, [checked, *others], told.extend)
    assert checked.asked > 3
    assert form.over
    acted = [event for event in told if isinstance(event, Acted)]
    assert all(event.all_in for event in acted if event.action == "raise")


def test_first_in_the_callers_push_and_the_fair_choose() -> None:
    game = STAKES._replace(depth=(10, 10)).game(2)
    first = {}
    for name in ("call", "raise", "fair"):
        random = Random(5)
        hands = [
            play_hand(game, [create_strategy(name, 1, game)] * 2, shuffled(game, random), number=number)
            for number in range(60)
        ]
        first[name] = [
            next(event.action for event in hand.events if isinstance(event, Acted)) for hand in hands
        ]
    assert set(first["call"]) == set(first["raise"]) == {"raise"}
    assert set(first["fair"]) == {"raise", "fold"}
