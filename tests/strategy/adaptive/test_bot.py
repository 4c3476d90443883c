"""The adaptive player at a table, and what it refuses."""

from __future__ import annotations

from hashlib import sha256
from random import Random
from typing import Any

import pytest

from dealer.deck import secure_deals
from dealer.formats.cash import Cash
from dealer.formats.fixed import FixedStacks
from dealer.formats.format import Stakes, TableFormat
from dealer.formats.tournament import Level, Tournament
from dealer.match import Division
from dealer.rules.actions import CALL, FOLD, Action, raise_to
from dealer.rules.events import Event, HandStarted
from dealer.rules.games import Game, holdem, load_game
from dealer.rules.legal import Legal
from strategy.adaptive.bot import AdaptiveBot
from strategy.adaptive.learning import Thresholds
from strategy.adaptive.parameters import AdaptiveParameters
from strategy.checks import UnplayableGame
from strategy.parameters import BadParameters
from strategy.registry import Strategy, create_strategy, parameters_of
from strategy.situation import Situation, SituationError, parse_situation
from studies.harness.arena import Contest, ContestEntry, TournamentTable
from studies.harness.session import play_session

SEED = sha256(b"adaptive").digest()
FACE = "hand=1 seat={} seats=0,1,2 button=2 stacks=1000,1000,1000 hole={} board= actions={} game={}"
GAME = holdem(3, 5, 10, stack=1000)


def facing(hole: str, actions: str = "", game: Game = GAME, seat: int = 2) -> Situation:
    definition = f"t {game.text().strip().replace(chr(10), ';')}"
    return parse_situation(FACE.format(seat, hole, actions, definition))


def adaptive(**values: Any) -> AdaptiveBot:
    return AdaptiveBot(0, GAME, AdaptiveParameters(**values))


def test_the_utility_of_the_first_to_speak() -> None:
    # AKo: V 0.9345; P 1/3; B 1 - 10/15; S 1000/2985.
    assert adaptive().utility(facing("AhKd")) == pytest.approx(
        0.6 * 157 / 168 + 0.1 / 3 + 0.2 / 3 + 0.1 * 1000 / 2985
    )


def test_it_raises_calls_and_folds() -> None:
    assert adaptive(weight_v=1, weight_p=0, weight_b=0, weight_s=0).decide(facing("7h2d")) == FOLD
    assert adaptive().decide(facing("Th9d")) == CALL
    aces = adaptive(weight_v=1, weight_p=0, weight_b=0, weight_s=0).decide(facing("AhAd"))
    assert aces == raise_to(1000)


@pytest.mark.parametrize("min_raise", ["bb", "last_raise"])
@pytest.mark.parametrize(("rules", "step"), [("standard", 20), ("bb", 10)])
def test_the_smallest_raise_is_what_the_table_allows(rules: str, step: int, min_raise: str) -> None:
    game = holdem(3, 5, 10, stack=1000, rules=rules)
    # V alone, and a hair above the threshold.
    bot = adaptive(
        weight_v=1,
        weight_p=0,
        weight_b=0,
        weight_s=0,
        raise_at=156.9999 / 168,
        fold_below=0,
        min_raise=min_raise,
    )
    assert bot.decide(facing("AhKd", game=game)) == raise_to(20)
    assert bot.decide(facing("AhKd", "r30", game, seat=0)) == raise_to(30 + step)


def test_a_big_blind_is_what_is_posted_now() -> None:
    """The step of a raise follows the blinds of the hand; one posted short is no smaller step."""
    bot = adaptive(weight_v=1, weight_p=0, weight_b=0, weight_s=0, raise_at=156.9999 / 168, fold_below=0)
    game = holdem(3, 5, 10, stack=1000, rules="bb")
    situation = facing("AhKd", "r30", game, seat=0)
    legal = situation.legal._replace(min_raise=31)
    for blinds, step in (((5, 10, 0), 10), ((5, 3, 0), 10), ((20, 40, 0), 40)):
        bot.observe(HandStarted(1, (0, 1, 2), 2, (1000,) * 3, (0,) * 3, blinds, ((1, 2), (), ())))
        assert bot.decide(situation._replace(legal=legal)) == raise_to(30 + step)


class Asked:
    """Notes the big blind of each hand that it is asked in, and calls."""

    def __init__(self) -> None:
        self.bot = adaptive()
        self.steps: set[tuple[int, int]] = set()

    def observe(self, event: Event) -> None:
        self.bot.observe(event)

    def decide(self, situation: Situation) -> Action:
        self.steps.add((situation.hand, self.bot.big_blind(situation)))
        return CALL


def test_it_knows_that_blinds_of_a_tournament_have_risen() -> None:
    levels = (Level(5, 10, 0, 3), Level(25, 50, 0, 100))
    form = Tournament(3, levels, 1000, lambda game: secure_deals(SEED, 2, game))
    asked = Asked()
    hands = play_with(
        3, [asked, create_strategy("call", 1, form.game), create_strategy("call", 2, form.game)], form
    )
    posted = {(hand[0].hand, max(hand[0].blinds)) for hand in hands}
    assert {step for _, step in asked.steps} == {10, 50}
    assert {one for one in asked.steps if one[1] == 10} <= posted
    assert all(step == (10 if hand <= 3 else 50) for hand, step in asked.steps)


def play_with(players: int, strategies: list[Strategy], form: TableFormat) -> list[Any]:
    hands: list[Any] = []
    play_session(form, strategies, lambda events: hands.append(list(events)))
    return hands


@pytest.mark.parametrize("players", range(2, 11))
@pytest.mark.parametrize("limit", [False, True])
def test_it_plays_any_hold_em_legally(players: int, limit: bool) -> None:
    game = holdem(players, 5, 10, stack=300, limit=limit)
    random = Random(players)
    strategies = [
        create_strategy(
            "adaptive" if seat % 2 else "random", seat, game, _drawn(random) if seat % 2 else None
        )
        for seat in range(players)
    ]
    hands = play_with(players, strategies, FixedStacks(game, secure_deals(SEED, players, game), 40))
    assert len(hands) == 40


def _drawn(random: Random) -> AdaptiveParameters:
    fold = random.uniform(0, 0.6)
    return AdaptiveParameters(
        raise_at=random.uniform(fold + 0.02, 0.9), fold_below=fold, mu=(0.05,), learn_every=5
    )


@pytest.mark.parametrize("match", range(6))
def test_it_learns_when_it_has_lost(match: int) -> None:
    stakes = Stakes(5, 10, stack=1000)
    form = Cash(3, stakes, lambda game: secure_deals(SEED, match, game), hands=50, all_seated=True)
    learner = adaptive(mu=0.05, learn_every=50)
    play_session(
        form, [learner, create_strategy("raise", 1, form.game), create_strategy("call", 2, form.game)]
    )
    assert learner.ledger.hands == 50
    assert (learner.thresholds != Thresholds(0.55, 0.3)) == (learner.ledger.chips < 0)


def test_it_notes_what_it_did_and_won() -> None:
    game = holdem(2, 5, 10, stack=1000)
    learner = AdaptiveBot(0, game, AdaptiveParameters(learn_every=1000))
    hands = play_with(
        2, [learner, create_strategy("call", 1, game)], FixedStacks(game, secure_deals(SEED, 3, game), 60)
    )
    won = sum(hand[-1].values[hand[0].seats.index(0)] for hand in hands)
    assert learner.ledger.chips == won == sum(vector.result for vector in learner.vectors)
    assert len(learner.vectors) == 60
    assert {action for vector in learner.vectors for action in vector.actions} <= {
        "",
        "fold",
        "call",
        "raise",
    }
    dealt = sum(balance.times for (street, _), balance in learner.ledger.balances.items() if street == 0)
    assert dealt == 60 - sum(not any(getattr(e, "seat", -1) == 0 for e in hand) for hand in hands)


def test_a_window_forgets_and_the_whole_does_not() -> None:
    game = holdem(2, 5, 10, stack=1000)
    for memory, kept in (("window", 0), ("all", 30)):
        learner = AdaptiveBot(0, game, AdaptiveParameters(learn_every=10, memory=memory))
        play_session(
            FixedStacks(game, secure_deals(SEED, 3, game), 30), [learner, create_strategy("call", 1, game)]
        )
        assert learner.ledger.hands == kept


def test_without_learning_nothing_moves() -> None:
    game = holdem(2, 5, 10, stack=1000)
    bot = AdaptiveBot(0, game)
    play_session(FixedStacks(game, secure_deals(SEED, 3, game), 30), [bot, create_strategy("raise", 1, game)])
    assert bot.thresholds == Thresholds(0.55, 0.3)
    assert bot.ledger.hands == 0


def test_who_is_out_of_a_tournament_learns_no_more() -> None:
    learner = adaptive(learn_every=1000, weight_v=1, weight_p=0, weight_b=0, weight_s=0)
    form = Tournament(3, (Level(5, 10),), 1000, lambda game: secure_deals(SEED, 1, game))
    hands = play_with(3, [learner, adaptive(), adaptive()], form)
    played = sum(0 in hand[0].seats for hand in hands)
    assert learner.ledger.hands == played


@pytest.mark.parametrize("name", ["adaptive", "adaptive2"])
def test_it_refuses_other_games(name: str) -> None:
    with pytest.raises(UnplayableGame) as refusal:
        create_strategy(name, 1, load_game("leduc.limit.2p"))
    assert refusal.value.code == "unplayable_game"


@pytest.mark.parametrize("name", ["adaptive", "adaptive2"])
@pytest.mark.parametrize(
    "wrong",
    [
        {"hole": (1,)},
        {"hole": (1, 1)},
        {"hole": (1, 52)},
        {"board": (2, 3, 4)},
        {"seat": 7},
        {"folded": (True, True, False)},
        {"folded": (False, False, True)},
        {"stacks": (995, 990, 0)},
        {"stacks": (-5, 990, 1000)},
        {"paid": (0, 0, 0)},
        {"legal": Legal(True, 5000, 20, 1000)},
        {"legal": Legal(True, 10, 20, None)},
    ],
)
def test_an_impossible_situation_is_named_and_not_played(name: str, wrong: dict[str, Any]) -> None:
    bot = create_strategy(name, 1, GAME)
    with pytest.raises(SituationError):
        bot.decide(facing("AhKd")._replace(**wrong))


@pytest.mark.parametrize(
    ("values", "key"),
    [
        ({"raise": 0.5}, "raise"),
        ({"raise_at": "high"}, "raise_at"),
        ({"raise_at": 1.5}, "raise_at"),
        ({"raise_at": float("nan")}, "raise_at"),
        ({"raise_at": True}, "raise_at"),
        ({"raise_at": 0.3, "fold_below": 0.3}, "raise_at"),
        ({"weight_v": 0.7}, "weight_v, weight_p, weight_b, weight_s"),
        ({"mu": [0.1, 0.2]}, "mu"),
        ({"mu": "fast"}, "mu"),
        ({"learn_every": 2.5}, "learn_every"),
        ({"learn_every": -1}, "learn_every"),
        ({"memory": "long"}, "memory"),
        ({"min_raise": "none"}, "min_raise"),
    ],
)
def test_bad_parameters_are_refused_with_key_value_and_what_is_allowed(
    values: dict[str, object], key: str
) -> None:
    with pytest.raises(BadParameters) as refusal:
        parameters_of("adaptive", values)
    assert refusal.value.code == "bad_parameters"
    assert refusal.value.key == key
    assert refusal.value.allowed in str(refusal.value)
    assert key in str(refusal.value)


def test_mu_is_one_number_or_one_for_each_street() -> None:
    assert AdaptiveParameters(mu=0.05).steps == (0.05,) * 4  # type: ignore[arg-type]
    assert AdaptiveParameters(mu=(0.1, 0.2, 0.3, 0.4)).steps == (0.1, 0.2, 0.3, 0.4)


def test_a_tournament_ends_with_one_who_has_everything() -> None:
    names = ("a", "b", "c", "d", "e")
    contest = Contest(
        Division("cup", names, 5, 2, 1, "rotations"),
        TournamentTable(5, (Level(5, 10),), rules="bb"),
        {name: ContestEntry("adaptive") for name in names},
        SEED,
    )
    for session in contest.sessions:
        result = contest.play(session)
        assert sorted(result.nets[0])[-1] == 4000
        assert sum(result.nets[0]) == 0
        assert result.places.count(1) == 1
