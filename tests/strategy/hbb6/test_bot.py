"""hbb6 at tables."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from random import Random

import numpy as np
import pytest

from dealer.deck import secure_deals
from dealer.formats.fixed import FixedStacks
from dealer.formats.format import Deals
from dealer.formats.tournament import Level, Tournament
from dealer.intervals import mean_interval
from dealer.match import Division
from dealer.rules.actions import Action
from dealer.rules.games import Game, holdem, load_game
from strategy.baseline.fair import FairBot
from strategy.checks import UnplayableGame
from strategy.parameters import BadParameters
from strategy.registry import Strategy, create_strategy, parameters_of
from strategy.situation import Situation, SituationError
from strategy.three_player.bot import Hbb6
from strategy.three_player.locate_node import find_node
from strategy.three_player.parameters import Hbb6Parameters
from strategy.three_player.policy import THREE_PLAYERS, load_policy
from strategy.three_player.subgame_strategy import load_subgame_strategies
from studies.harness.arena import Contest, ContestEntry, FixedTable, deal_totals
from studies.harness.session import play_session
from tests.strategy.play import at, decisions, shuffled

GAMES = {
    "three": THREE_PLAYERS,
    "heads-up": load_game("holdem.limit.2p.reverse_blinds"),
    "six": holdem(6, 5, 10, limit=True),
    "short stacks": holdem(4, 5, 10, limit=True, stack=(35, 200, 12, 90)),
    "no limit": holdem(3, 5, 10),
    "no limit, short": holdem(3, 5, 10, stack=(80, 300, 140)),
}


class Stub:
    """Stands for a bot; keeps what it was asked."""

    def __init__(self) -> None:
        self.asked: list[Situation] = []

    def decide(self, situation: Situation) -> Action:
        self.asked.append(situation)
        return FairBot(1, situation.game).decide(situation)


@cache
def met() -> tuple[Situation, ...]:
    """Decisions at a table of three."""
    random = Random(8)
    players: list[Strategy] = [
        create_strategy("fair", 0, THREE_PLAYERS),
        *(create_strategy("random", n, THREE_PLAYERS) for n in (1, 2)),
    ]
    return tuple(
        situation
        for number in range(12)
        for _, situation in decisions(THREE_PLAYERS, players, shuffled(THREE_PLAYERS, random), number=number)
    )


@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
def test_every_decision_is_legal(game: Game, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("strategy.three_player.bot.create_strategy", lambda *_: Stub())
    players = [
        create_strategy("hbb6" if seat % 2 == 0 else "random", seat, game) for seat in range(game.players)
    ]
    play_session(FixedStacks(game, secure_deals(bytes(32), 0, game), 15), players)


def test_it_plays_on_when_others_have_left_and_blinds_rise(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("strategy.three_player.bot.create_strategy", lambda *_: Stub())

    def deals(game: Game) -> Deals:
        return secure_deals(b"cup".ljust(32), 0, game)

    cup = Tournament(4, (Level(10, 20, 0, 4), Level(40, 80, 10, 200)), 300, deals, limit=True)
    play_session(cup, [create_strategy("hbb6" if seat < 2 else "call", seat, cup.game) for seat in range(4)])
    assert sorted(cup.places) == [1, 2, 3, 4]


def test_the_same_seed_and_situation_give_the_same_action() -> None:
    forwards = [Hbb6(4, THREE_PLAYERS).decide(situation) for situation in met()]
    bot = Hbb6(4, THREE_PLAYERS)
    assert forwards == [bot.decide(situation) for situation in reversed(met())][::-1]
    assert forwards != [Hbb6(5, THREE_PLAYERS).decide(situation) for situation in met()]


def test_it_acts_as_often_as_its_table_says() -> None:
    situation = at(THREE_PLAYERS, "c", "Td7d")
    said = load_policy().policy(int(load_policy().graph.child[0, 1]), situation.hole, ())
    bot = Hbb6(1, THREE_PLAYERS)
    kinds = [bot.decide(situation._replace(hand=hand)).kind for hand in range(1500)]
    for kind, chance in zip(("fold", "call", "raise"), said, strict=True):
        assert kinds.count(kind) / 1500 == pytest.approx(chance, abs=0.04)


@pytest.mark.parametrize("after_fold", ["blueprint", "own"])
def test_where_two_began_the_flop_its_parameter_counts(after_fold: str) -> None:
    situation = at(THREE_PLAYERS, "r f c c", "Td7d", "2c7h9s")
    folds, table = load_subgame_strategies(), load_policy()
    place = folds.locate(table.graph, situation)
    assert place is not None
    solved = folds.policy(place, situation.hole, situation.board)
    assert solved is not None
    said = {
        "blueprint": solved,
        "own": table.policy(find_node(table.graph, situation), situation.hole, situation.board),
    }
    assert np.abs(np.subtract(said["blueprint"], said["own"])).max() > 0.1
    bot = Hbb6(1, THREE_PLAYERS, Hbb6Parameters(after_fold=after_fold))
    assert bot.probabilities(situation) == pytest.approx(said[after_fold])
    kinds = [bot.decide(situation._replace(hand=hand)).kind for hand in range(1500)]
    for kind, chance in zip(("fold", "call", "raise"), said[after_fold], strict=True):
        assert kinds.count(kind) / 1500 == pytest.approx(chance, abs=0.04)


def test_with_hands_that_were_not_solved_it_plays_its_own() -> None:
    situation = at(THREE_PLAYERS, "f r r r c", "7h2c", "KhJd9s")
    folds, table = load_subgame_strategies(), load_policy()
    place = folds.locate(table.graph, situation)
    assert place is not None
    assert folds.policy(place, situation.hole, situation.board) is None
    own = table.policy(find_node(table.graph, situation), situation.hole, situation.board)
    assert Hbb6(1, THREE_PLAYERS).probabilities(situation) == pytest.approx(own)


def test_small_chances_can_be_left_out() -> None:
    bot = Hbb6(1, THREE_PLAYERS, Hbb6Parameters(least=0.33))
    for situation in met():
        said = bot.probabilities(situation)
        assert said is not None
        weights = np.array(said)
        assert weights.sum() > 0
        assert not ((weights > 0) & (weights < 0.33)).any()


def test_who_plays_where_it_has_no_strategy(monkeypatch: pytest.MonkeyPatch) -> None:
    stubs: dict[str, Stub] = {}

    def created(name: str, seed: int, game: Game) -> Stub:
        return stubs.setdefault(name, Stub())

    monkeypatch.setattr("strategy.three_player.bot.create_strategy", created)
    two, three = GAMES["heads-up"], THREE_PLAYERS
    Hbb6(1, two).decide(at(two, "r", "AhAd"))
    assert list(stubs) == ["cfr"]
    folded = at(three, "r f", "AhAd")
    Hbb6(1, three).decide(folded)
    assert list(stubs) == ["cfr"]
    Hbb6(1, three, Hbb6Parameters(after_fold="ownbot")).decide(folded)
    assert stubs["ownbot"].asked == [folded]


@pytest.mark.parametrize(("game", "actions"), [(GAMES["six"], "r c"), (GAMES["no limit"], "r200")])
def test_fair_plays_among_many_and_for_too_much(game: Game, actions: str) -> None:
    for hole in ("AhAd", "7h2d", "Tc9c"):
        situation = at(game, actions, hole)
        assert Hbb6(1, game).decide(situation) == FairBot(1, game).decide(situation)


def test_a_raise_without_a_limit_is_of_the_size_of_the_pot() -> None:
    game = GAMES["no limit"]
    situation = at(game, "r20", "AhAd")
    bot = Hbb6(1, game)
    raised = {
        action.to
        for hand in range(40)
        if (action := bot.decide(situation._replace(hand=hand))).kind == "raise"
    }
    # To call 15, into a pot of 35.
    assert raised == {20 + 50}


def test_it_beats_bots_without_a_plan() -> None:
    names = ("hbb6", "call", "random")
    contest = Contest(
        Division("three", names, 3, 1, 200),
        FixedTable(THREE_PLAYERS),
        {name: ContestEntry(name) for name in names},
        5,
    )
    won = mean_interval(deal_totals(contest, map(contest.play, contest.sessions), ["hbb6"]))
    assert won.low is not None
    assert won.low > 0


def test_heads_up_with_an_ante_cfr_plays() -> None:
    game = holdem(2, 5, 10, ante=1, limit=True)
    bot, cfr = create_strategy("hbb6", 1, game), create_strategy("cfr", 1, game)
    random, met = Random(3), 0
    for number in range(10):
        for _, situation in decisions(game, [bot, bot], shuffled(game, random), number=number):
            assert bot.decide(situation) == cfr.decide(situation)
            met += 1
    assert met > 20


@pytest.mark.parametrize("name", ["kuhn.limit.3p", "leduc.limit.2p"])
def test_other_games_are_refused(name: str) -> None:
    with pytest.raises(UnplayableGame, match="hbb6") as refusal:
        create_strategy("hbb6", 1, load_game(name))
    assert refusal.value.code == "unplayable_game"


_BREAK: dict[str, Callable[[Situation], Situation]] = {
    "short board": lambda good: good._replace(board=good.board[:2]),
    "card twice": lambda good: good._replace(hole=(good.board[0], 51)),
    "nobody left": lambda good: good._replace(folded=(True, True, True)),
}


@pytest.mark.parametrize("how", _BREAK)
def test_impossible_situations_are_refused(how: str) -> None:
    good = at(THREE_PLAYERS, "c c c", "TcTd", "2c7dTs")
    with pytest.raises(SituationError) as refusal:
        Hbb6(1, THREE_PLAYERS).decide(_BREAK[how](good))
    assert refusal.value.code == "bad_situation"


def test_a_history_that_cannot_be_is_refused() -> None:
    good = at(THREE_PLAYERS, "c c c", "TcTd", "2c7dTs")
    odd = good._replace(history=(good.history[0]._replace(seat=7), *good.history[1:]))
    with pytest.raises(SituationError):
        Hbb6(1, THREE_PLAYERS).decide(odd)


@pytest.mark.parametrize(
    ("values", "key"),
    [({"after_fold": "cfr"}, "after_fold"), ({"least": 0.5}, "least"), ({"luck": 1}, "luck")],
)
def test_bad_parameters_are_refused(values: dict[str, object], key: str) -> None:
    with pytest.raises(BadParameters) as refusal:
        parameters_of("hbb6", values)
    assert refusal.value.key == key
