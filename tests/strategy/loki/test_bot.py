from __future__ import annotations

from collections.abc import Sequence
from random import Random

import pytest

from benchmarks.players.decisions import measure
from dealer.deck import secure_deals
from dealer.formats.fixed import FixedStacks
from dealer.rules.actions import Action
from dealer.rules.events import Event
from dealer.rules.games import Game, holdem, load_game
from strategy.akuma.parameters import AkumaParameters
from strategy.checks import UnplayableGame
from strategy.loki.bot import Loki
from strategy.loki.parameters import LokiParameters
from strategy.parameters import BadParameters
from strategy.registry import Strategy, create_strategy, parameters_of, strategy_names
from strategy.situation import Situation, SituationError
from studies.harness.session import play_session
from tests.strategy.loki.situations import at
from tests.strategy.play import decisions, shuffled

NAMES = ("loki1", "loki2", "loki2-b", "loki2-br", "loki2-r", "loki2-s")
TRIALS = LokiParameters(trials=20)

GAMES = {
    **{f"limit {n}": holdem(n, 5, 10, limit=True) for n in (2, 3, 6, 10)},
    "limit 2, acpc": load_game("holdem.limit.2p.reverse_blinds"),
    "limit, short": holdem(4, 5, 10, limit=True, stack=(35, 200, 12, 90)),
    **{f"no-limit {n}": holdem(n, 5, 10, stack=1000) for n in (2, 3, 6, 10)},
    "no-limit 2, acpc": load_game("holdem.nolimit.2p.reverse_blinds"),
    "no-limit, short": holdem(4, 5, 10, ante=2, stack=(35, 200, 12, 90)),
    "uneven": load_game("custom.nolimit.4p.uneven"),
}


class Recorded:
    """A strategy that keeps what it was asked and what it answered."""

    def __init__(self, inner: Strategy) -> None:
        self.inner = inner
        self.log: list[tuple[Situation, Action]] = []

    def observe(self, event: Event) -> None:
        if isinstance(self.inner, Loki):
            self.inner.observe(event)

    def decide(self, situation: Situation) -> Action:
        action = self.inner.decide(situation)
        self.log.append((situation, action))
        return action


def play_some(game: Game, players: Sequence[Strategy], hands: int, seed: int = 1) -> None:
    """Play; the table refuses what is not legal."""
    deals = secure_deals(seed.to_bytes(32, "big"), 0, game)
    play_session(FixedStacks(game, deals, hands), players)


def test_the_registry_knows_them() -> None:
    assert set(NAMES) <= set(strategy_names())
    enhancements = {name: create_strategy(name, 1, GAMES["limit 2"]).enhancements for name in NAMES}  # type: ignore[attr-defined]
    assert enhancements == {
        "loki1": "", "loki2": "BRS", "loki2-b": "B", "loki2-br": "BR", "loki2-r": "R", "loki2-s": "S",
    }  # fmt: skip


@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
def test_every_decision_is_legal(game: Game) -> None:
    # The odd seats are filled with players who do anything.
    players: list[Strategy] = []
    for seat in range(game.players):
        name = NAMES[seat // 2 % len(NAMES)] if seat % 2 == 0 else "random"
        players.append(create_strategy(name, seat, game, TRIALS if seat % 2 == 0 else None))
    play_some(game, players, 12)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("game", [GAMES["limit 3"], GAMES["no-limit 3"]], ids=["limit", "no-limit"])
def test_every_variant_plays_against_anything(name: str, game: Game) -> None:
    players = [
        create_strategy(name, 1, game, TRIALS),
        create_strategy("random", 2, game),
        create_strategy("raise", 3, game),
    ]
    play_some(game, players, 25)


@pytest.mark.parametrize("name", ["loki1", "loki2"])
def test_the_same_seed_and_hands_give_the_same_play(name: str) -> None:
    game = GAMES["limit 3"]

    def log(seed: int) -> list[tuple[Situation, Action]]:
        recorded = Recorded(create_strategy(name, seed, game, TRIALS))
        play_some(game, [recorded, create_strategy("random", 2, game), create_strategy("fair", 3, game)], 15)
        return recorded.log

    assert log(5) == log(5)


def test_a_decision_needs_no_observation_before() -> None:
    game = GAMES["limit 3"]
    players = [create_strategy("random", seat, game) for seat in range(3)]
    random = Random(8)
    met = [
        situation
        for number in range(8)
        for _, situation in decisions(game, players, shuffled(game, random), number=number)
    ]
    one, other = create_strategy("loki2-br", 4, game), create_strategy("loki2-br", 4, game)
    forwards = [one.decide(situation) for situation in met]
    backwards = [other.decide(situation) for situation in reversed(met)]
    assert forwards == backwards[::-1]


def test_memory_is_kept_between_hands_and_dropped_with_the_object() -> None:
    game = GAMES["limit 2"]
    loki = create_strategy("loki1", 1, game)
    assert isinstance(loki, Loki)
    play_some(game, [loki, create_strategy("raise", 2, game)], 20)
    learned = loki.frequencies.tendencies(1)
    assert learned[1] > 1.3
    play_some(game, [loki, create_strategy("raise", 2, game)], 20, seed=2)
    assert loki.frequencies.tendencies(1)[1] > learned[1]
    fresh = create_strategy("loki1", 1, game)
    assert isinstance(fresh, Loki)
    assert fresh.frequencies.tendencies(1) == (1, 1)


def test_one_number_for_a_hand() -> None:
    loki = Loki(3, GAMES["limit 2"])
    numbers = [loki.random_number(hand) for hand in range(400)]
    assert numbers == [loki.random_number(hand) for hand in range(400)]
    assert min(numbers) < 0.1
    assert max(numbers) > 0.9
    assert abs(sum(numbers) / 400 - 0.5) < 0.05


@pytest.mark.parametrize("name", NAMES)
def test_aces_raise_and_rags_fold_before_the_flop(name: str) -> None:
    game = GAMES["limit 6"]
    assert create_strategy(name, 1, game).decide(at(game, "", "AcAd")).kind == "raise"
    assert create_strategy(name, 1, game).decide(at(game, "", "7c2d")).kind == "fold"
    assert create_strategy(name, 1, game).decide(at(game, "f f f r", "7c2d")).kind == "fold"
    assert create_strategy(name, 1, game).decide(at(game, "f f f f c", "7c2d")).kind == "call"


@pytest.mark.parametrize("name", NAMES)
def test_the_nuts_bet_and_nothing_folds_on_the_river(name: str) -> None:
    game = GAMES["limit 2"]
    before = "c c c c c c c"
    if name not in {"loki2-b", "loki2-br"}:
        assert create_strategy(name, 1, game).decide(at(game, before, "9h8h")).kind == "raise"
    assert create_strategy(name, 1, game).decide(at(game, "r r r c r r c r r r", "5h3d")).kind == "fold"


def test_a_no_limit_raise_is_three_quarters_to_one_pot() -> None:
    game = GAMES["no-limit 2"]
    action = create_strategy("loki1", 1, game).decide(at(game, "c c c", "TcTd"))
    assert action.kind == "raise"
    assert 15 <= action.to <= 20


@pytest.mark.parametrize("name", NAMES)
def test_other_games_are_refused(name: str) -> None:
    with pytest.raises(UnplayableGame):
        create_strategy(name, 1, load_game("kuhn.limit.2p"))


@pytest.mark.parametrize("name", NAMES)
def test_impossible_situations_are_refused(name: str) -> None:
    loki = create_strategy(name, 1, GAMES["limit 2"])
    good = at(GAMES["limit 2"], "c c c", "TcTd")
    for bad in (
        good._replace(board=good.board[:2]),
        good._replace(hole=(good.board[0], 51)),
        good._replace(folded=(True, True)),
        good._replace(game=GAMES["limit 3"]),
        good._replace(history=(good.history[0]._replace(seat=7), *good.history[1:])),
        good._replace(stacks=(0, 0)),
        good._replace(paid=(0, 0)),
        good._replace(seat=5),
    ):
        with pytest.raises(SituationError):
            loki.decide(bad)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    ("values", "key"),
    [
        ({"tightness": "mad"}, "tightness"),
        ({"trials": 0}, "trials"),
        ({"trials": 1.5}, "trials"),
        ({"bet_at": 1.2}, "bet_at"),
        ({"bet_at": 0.9, "raise_at": 0.8}, "raise_at"),
        ({"luck": 1}, "luck"),
    ],
)
def test_bad_parameters_are_refused(name: str, values: dict[str, object], key: str) -> None:
    with pytest.raises(BadParameters) as refusal:
        parameters_of(name, values)
    assert refusal.value.key == key


@pytest.mark.parametrize("name", NAMES)
def test_parameters_of_another_bot_are_refused(name: str) -> None:
    with pytest.raises(BadParameters):
        create_strategy(name, 1, GAMES["limit 2"], AkumaParameters())


def test_five_hundred_trials_fit_into_a_tenth_of_a_second() -> None:
    took = measure("loki2", GAMES["limit 6"], 12)
    assert LokiParameters().trials == 500
    assert took[len(took) // 2] < 0.1
