"""Situations that came about are played, others are refused, by every bot that looks at its situation."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from itertools import islice
from random import Random

import pytest

from dealer.deck import secure_deals
from dealer.formats.cash import Cash
from dealer.formats.format import Stakes, TableFormat
from dealer.formats.tournament import Level, Tournament
from dealer.rules.actions import CALL, FOLD, Action, parse_action, raise_to
from dealer.rules.betting import Betting
from dealer.rules.cards import parse_cards
from dealer.rules.games import Game, holdem, load_game
from dealer.rules.legal import Legal
from strategy.checks import verify_betting, verify_situation
from strategy.registry import create_strategy, strategy_names
from strategy.situation import ObservedSituation, PastAction, Situation, SituationError, situation_at
from studies.harness.session import play_session
from tests.strategy.play import GAMES, decisions, shuffled

#: They look at nothing but what is legal.
BLIND = {"call", "raise", "random"}
LIMIT = load_game("holdem.limit.3p")


def wild(random: Random, legal: Legal) -> Action:
    """Something legal: folds are rare, raises often small, sometimes all-in."""
    if legal.fold and random.random() < 0.15:
        return FOLD
    low, high = legal.min_raise, legal.max_raise
    if low is None or high is None or random.random() < 0.45:
        return CALL
    return raise_to(random.choice((low, low, low + int((high - low) * random.random() ** 4), high)))


class Wild:
    """Checks each situation, and does something."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.met = 0

    def decide(self, situation: Situation) -> Action:
        verify_situation(Situation(*situation))  # also what an observer saw
        self.met += 1
        return wild(self.random, situation.legal)


def any_game(random: Random) -> Game:
    """Hold'em of any rule set, with blinds anywhere and any ante."""
    big = random.choice((1, 2, 10, 100))
    players = random.randint(2, 10)
    game = holdem(
        players,
        random.randint(0, big),
        big,
        ante=random.choice((0, 0, 1, big, 3 * big)),
        limit=random.random() < 0.5,
        rules=random.choice(("acpc", "standard", "bb")),
    )
    if random.random() < 0.3:
        blinds = [random.choice((0, 1, big)) for _ in range(players)]
        first = [random.randrange(players) for _ in range(4)]
        game = replace(game, blinds=tuple(blinds), first_player=tuple(first))
    return game


def hands(random: Random, games: Callable[[Random], Game]) -> Iterator[Situation]:
    """Every decision of hands between stacks of one chip and more."""
    while True:
        game = games(random)
        most = random.choice((2, 5, 20, 200)) * (game.min_bet + game.ante)
        betting = Betting(game, [random.randint(1, most) for _ in range(game.players)])
        cards = shuffled(game, random)
        while not betting.over:
            board = sum(cards.streets[: betting.street + 1], ())
            yield situation_at(betting, cards.hole[betting.to_act], board)
            betting.act(wild(random, betting.legal()))


@pytest.mark.parametrize("seed", range(3))
def test_what_the_rules_bring_about_is_never_refused(seed: int) -> None:
    kinds = set()
    for situation in islice(hands(Random(seed), any_game), 6_000):
        (verify_situation if any(situation.paid) else verify_betting)(situation)
        game, bets = situation.game, situation.bets
        unpaid = situation.to_call > max(bets) - bets[situation.position]
        lowered = situation.to_call < min(
            max(bets) - bets[situation.position], situation.stacks[situation.position]
        )
        kinds |= {(game.rules, game.limit), ("unpaid", unpaid), ("lowered", lowered)}
    # Big blinds that could not be posted in full, and bets that were lowered, were among them.
    assert len(kinds) == 6 + 2 + 2


@pytest.mark.parametrize("name", GAMES)
def test_all_games_are_looked_at_but_for_their_cards(name: str) -> None:
    game, random = GAMES[name], Random(3)
    players = [create_strategy("random", seat, game) for seat in range(game.players)]
    for number in range(60):
        for _, situation in decisions(game, players, shuffled(game, random), number=number):
            verify_betting(Situation(*situation))


@pytest.mark.parametrize("limit", [False, True], ids=["no-limit", "limit"])
@pytest.mark.parametrize("rules", ["acpc", "standard", "bb"])
def test_tables_whose_blinds_and_players_change_are_never_refused(rules: str, limit: bool) -> None:
    levels = (Level(5, 10, 0, 4), Level(30, 60, 5, 4), Level(200, 400, 50, 10))
    random = Random(rules)
    forms: list[TableFormat] = []
    for number in range(6):
        deals = partial(secure_deals, number.to_bytes(32, "big"), 1)
        forms.append(Tournament(6, levels, 300, deals, limit=limit, rules=rules))
        forms.append(Cash(6, Stakes(5, 10, 1, limit, 60, rules), deals, hands=80, all_seated=True))
    players = [Wild(random) for _ in range(6)]
    for form in forms:
        play_session(form, players)
    assert sum(one.met for one in players) > 3_000


def flop() -> Situation:
    """Three players on a limit flop: 10 to call after a check, a bet and nothing else."""
    betting = Betting(LIMIT, (1000, 1000, 1000))
    for action in ("c", "c", "c", "c", "r"):
        betting.act(parse_action(action))
    return situation_at(betting, parse_cards("AhKd"), parse_cards("2c7dJh"))


def legal(**changes: object) -> Callable[[Situation], Situation]:
    return lambda good: good._replace(legal=good.legal._replace(**changes))  # type: ignore[arg-type]


def last(**changes: object) -> Callable[[Situation], Situation]:
    """The last step of the history is another."""
    return lambda good: good._replace(
        history=(*good.history[:-1], good.history[-1]._replace(**changes))  # type: ignore[arg-type]
    )


def fields(**changes: object) -> Callable[[Situation], Situation]:
    return lambda good: good._replace(**changes)  # type: ignore[arg-type]


_BREAK: dict[str, Callable[[Situation], Situation]] = {
    "a call for nothing": legal(call=0),
    "no fold": legal(fold=False),
    "a dear call": legal(call=70),
    "not a number to call": legal(call=float("nan")),
    "raises from more to less": legal(min_raise=500, max_raise=100),
    "raises below the bet": legal(min_raise=1, max_raise=1),
    "raises to the bet": legal(min_raise=10, max_raise=10),
    "raises of more than the stack": legal(min_raise=2000, max_raise=2000),
    "raises of no limit": legal(min_raise=20, max_raise=900),
    "raises without an end": legal(max_raise=None),
    "a folded flag": fields(folded=(False, True, False)),
    "a fold without its flag": last(kind="fold", to=0),
    "short stacks": lambda good: good._replace(stacks=good.stacks[:2]),
    "short flags": fields(folded=(False, False)),
    "short bets": fields(bets=(0, 10)),
    "short payments": fields(paid=(10, 20)),
    "too many stacks": lambda good: good._replace(stacks=(*good.stacks, 5)),
    "a stack below nothing": fields(stacks=(-1, 980, 990)),
    "a stack that is no number": fields(stacks=(float("nan"), 980, 990)),
    "no stack to decide with": fields(stacks=(990, 980, 0)),
    "bets that nobody has paid": fields(paid=(0, 20, 10)),
    "a bet of another": fields(bets=(10, 10, 0), paid=(20, 20, 10)),
    "more paid than others": fields(paid=(10, 30, 10)),
    "bets beyond the stack": fields(bets=(10**6, 10, 0), paid=(10**7, 20, 10)),
    "a seat twice": fields(seats=(0, 2, 2)),
    "a button elsewhere": fields(button=7),
    "history backwards": lambda good: good._replace(history=good.history[::-1]),
    "no history": fields(history=()),
    "no history before the flop": lambda good: good._replace(history=good.history[3:]),
    "no history of the own seat": lambda good: good._replace(history=good.history[1:]),
    "a step to very much": last(to=10**9),
    "a step below nothing": lambda good: good._replace(
        history=(good.history[0], good.history[1]._replace(to=-10), *good.history[2:])
    ),
    "a step too far before the flop": lambda good: good._replace(
        history=(good.history[0], good.history[1]._replace(to=50), *good.history[2:])
    ),
    "a step of an unknown kind": last(kind="jump"),
    "a step of a stranger": last(seat=7),
    "a step of the future": lambda good: good._replace(
        history=(*good.history, PastAction(3, 0, "raise", 99))
    ),
    "the own answer": lambda good: good._replace(history=(*good.history, PastAction(1, 2, "call", 10))),
    "a second answer": lambda good: good._replace(history=(*good.history, PastAction(1, 1, "call", 10))),
    "more raises than allowed": lambda good: good._replace(
        history=(*good.history[:3], *(PastAction(1, n % 2, "raise", n + 6) for n in range(5)))
    ),
}


def test_the_good_situation_is_good() -> None:
    good = flop()
    assert (good.seat, good.to_call, good.bets) == (2, 10, (0, 10, 0))
    verify_situation(good)


def test_what_was_observed_is_believed_and_what_was_made_of_it_is_not() -> None:
    ((_, seen), *_) = decisions(LIMIT, [Wild(Random(1))] * 3, shuffled(LIMIT, Random(1)))
    assert isinstance(seen, ObservedSituation)
    verify_situation(ObservedSituation(*Situation(*seen)._replace(stacks=(-1, -1, -1))))
    with pytest.raises(SituationError):
        verify_situation(seen._replace(stacks=(-1, -1, -1)))


@pytest.mark.parametrize("name", sorted({*strategy_names()} - BLIND))
def test_bots_refuse_what_cannot_have_come_about(name: str) -> None:
    bot, good = create_strategy(name, 1, LIMIT), flop()
    for how, change in _BREAK.items():
        with pytest.raises(SituationError) as refusal:
            pytest.fail(f"{name} plays {bot.decide(change(good))} with {how}")
        assert refusal.value.code == "bad_situation"


@pytest.mark.parametrize("how", _BREAK)
def test_what_cannot_have_come_about_is_refused(how: str) -> None:
    with pytest.raises(SituationError):
        verify_situation(_BREAK[how](flop()))


def test_a_game_without_blinds_and_antes_is_refused_at_its_first_decision() -> None:
    game = holdem(3, 0, 0, stack=500)
    situation = situation_at(Betting(game), parse_cards("AhKd"), ())
    verify_betting(situation)
    with pytest.raises(SituationError):
        verify_situation(situation)
