"""Every house bot at every hold'em table: a legal answer, in bounded time, and never a refusal."""

from __future__ import annotations

from functools import partial
from random import Random
from time import process_time

import pytest

from dealer.deck import secure_deals
from dealer.formats.cash import Cash
from dealer.formats.format import Stakes
from dealer.formats.tournament import Level, Tournament
from dealer.rules.actions import Action
from dealer.rules.events import Event
from dealer.rules.games import load_game
from strategy.checks import UnplayableGame
from strategy.parameters import settings_of
from strategy.registry import (
    ObservingStrategy,
    Strategy,
    create_strategy,
    house_bots,
    parameters_of,
    parameters_type,
    strategy_names,
)
from strategy.situation import Situation
from studies.harness.session import play_session

#: Trials and iterations are many, and decide nothing here.
FEW = {"trials": 8, "iterations": 5, "turn_iterations": 2}
#: CPU-seconds that a decision may take once all is compiled: the time of a turn is longer.
LONGEST = 2.0


def quick(name: str) -> object:
    """The parameters of a bot, with few trials."""
    kind = parameters_type(name)
    if kind is None:
        return None
    return parameters_of(name, {key: few for key, few in FEW.items() if key in settings_of(kind)})


class Told:
    """A bot that is told what happens, as at a table, and counts its decisions."""

    def __init__(self, name: str, seed: int, form: Cash | Tournament) -> None:
        self.bot = create_strategy(name, seed, form.game, quick(name))
        self.decisions = 0

    def decide(self, situation: Situation) -> Action:
        self.decisions += 1
        return self.bot.decide(situation)

    def observe(self, event: Event) -> None:
        if isinstance(self.bot, ObservingStrategy):
            self.bot.observe(event)


def cash(random: Random, players: int, limit: bool) -> Cash:
    """Stacks of two to 300 big blinds, blinds and antes of any size, and now and then a straddle."""
    big = random.choice((1, 2, 10, 100))
    ante = random.choice((0, 0, 1, big, 3 * big))
    stakes = Stakes(
        random.randint(0, big), big, ante, limit, big * random.choice((2, 5, 20, 300)) + ante,
        random.choice(("standard", "acpc", "bb")),
    )  # fmt: skip
    if not limit and stakes.rules != "acpc" and random.random() < 0.5:
        stakes = stakes._replace(straddle=2 * big)
    return Cash(players, stakes, partial(secure_deals, random.randbytes(32), 0), hands=3, all_seated=True)


@pytest.mark.parametrize("limit", [True, False], ids=["limit", "no-limit"])
@pytest.mark.parametrize("name", strategy_names())
def test_every_bot_answers_at_every_table(name: str, limit: bool) -> None:
    random = Random(f"{name} {limit}")
    decisions = 0
    for players in range(2, 11):
        form = cash(random, players, limit)
        seated = [Told(name, seat, form) if seat % 3 == 0 else None for seat in range(players)]
        others = [
            create_strategy(random.choice(("random", "random", "call", "raise")), 1, form.game)
            for _ in seated
        ]
        # The table refuses what is not legal.
        play_session(form, [own or other for own, other in zip(seated, others, strict=True)])
        decisions += sum(own.decisions for own in seated if own is not None)
    assert decisions > 30


@pytest.mark.parametrize("limit", [True, False], ids=["limit", "no-limit"])
def test_all_families_finish_a_tournament_together(limit: bool) -> None:
    levels = (Level(5, 10, 0, 6), Level(30, 60, 5, 6), Level(200, 400, 50, 6))
    random, met = Random(7), set()
    for turn in range(-(-len(strategy_names()) // 9)):
        bots = [strategy_names()[(9 * turn + seat) % len(strategy_names())] for seat in range(9)]
        random.shuffle(bots)
        form = Tournament(9, levels, 300, partial(secure_deals, turn.to_bytes(32, "big"), 0), limit=limit)
        play_session(form, [Told(bot, seat, form) for seat, bot in enumerate(bots)])
        assert (form.places.count(1), min(form.places), len(form.places)) == (1, 1, 9)
        met |= {*bots}
    assert met == {*strategy_names()}


class Timed:
    """Notes what a bot does, and how long its longest decision takes."""

    def __init__(self, bot: Strategy) -> None:
        self.bot = bot
        self.actions: list[Action] = []
        self.longest = 0.0

    def decide(self, situation: Situation) -> Action:
        start = process_time()
        self.actions.append(self.bot.decide(situation))
        self.longest = max(self.longest, process_time() - start)
        return self.actions[-1]

    def observe(self, event: Event) -> None:
        if isinstance(self.bot, ObservingStrategy):
            self.bot.observe(event)


@pytest.mark.parametrize("name", strategy_names())
def test_every_bot_plays_the_same_for_the_same_seed_and_in_time(name: str) -> None:
    played = []
    for _ in range(2):
        own = []
        for players, limit in ((2, True), (3, False)):
            form = cash(Random(f"{players} same"), players, limit)
            own.append(Timed(create_strategy(name, 5, form.game, quick(name))))
            others = [create_strategy("call", seat, form.game) for seat in range(1, players)]
            play_session(form, [own[-1], *others])
        played.append(own)
    first, again = ([one.actions for one in own] for own in played)
    assert first == again
    assert all(first)
    assert max(one.longest for one in played[1]) < LONGEST


@pytest.mark.parametrize("game", ["kuhn.limit.2p", "kuhn.limit.3p", "leduc.limit.2p"])
def test_what_is_not_hold_em_is_refused_with_a_code(game: str) -> None:
    for name in (bot.name for bot in house_bots() if not bot.any_game):
        with pytest.raises(UnplayableGame) as refusal:
            create_strategy(name, 1, load_game(game))
        assert refusal.value.code == "unplayable_game"
