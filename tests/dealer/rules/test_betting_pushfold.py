"""All-in or fold: Funke (2015), heads-up no-limit with stacks of at most ten big blinds."""

from __future__ import annotations

from random import Random

import pytest

from dealer.rules.actions import CALL, FOLD, raise_to
from dealer.rules.betting import Betting
from dealer.rules.errors import ActionError, GameError, IllegalAction
from dealer.rules.events import Acted
from dealer.rules.games import Game, holdem, load_game, parse_game
from dealer.rules.hand import HandState, replay
from dealer.rules.legal import Legal
from dealer.rules.notation import format_betting, parse_betting
from dealer.rules.tree import count_tree
from tests.dealer.rules.play import any_action, deal, played, snapshot

HEADS_UP = load_game("holdem.pushfold.2p")


def table(players: int, *, stack: int = 1000, ante: int = 0) -> Game:
    return holdem(players, 50, 100, ante=ante, stack=stack, rules="pushfold")


def test_the_small_blind_is_all_in_or_folds_and_the_big_blind_calls_or_folds() -> None:
    betting = Betting(HEADS_UP)
    assert betting.legal() == Legal(fold=True, call=950, min_raise=1000, max_raise=1000)
    betting.act(raise_to(1000))
    assert betting.legal() == Legal(fold=True, call=900, min_raise=None, max_raise=None)
    counts = count_tree(HEADS_UP)
    assert (counts.streets, counts.folds, counts.showdowns) == ((2, 0, 0, 0), 2, 1)


def test_a_call_where_nobody_has_raised_is_the_raise() -> None:
    called, raised = Betting(HEADS_UP), Betting(HEADS_UP)
    assert called.to_call == 950
    assert called.act(CALL) == raised.act(raise_to(1000)) == 950
    assert snapshot(called) == snapshot(raised)
    assert format_betting(called) == "r1000"
    assert snapshot(parse_betting(HEADS_UP, "r1000")) == snapshot(called)
    with pytest.raises(ActionError):
        parse_betting(HEADS_UP, "c")


@pytest.mark.parametrize(
    ("to", "code"), [(100, "raise_too_small"), (999, "raise_too_small"), (1001, "raise_too_large")]
)
def test_no_other_raise_is_legal(to: int, code: str) -> None:
    betting = Betting(HEADS_UP)
    before = snapshot(betting)
    with pytest.raises(IllegalAction) as error:
        betting.act(raise_to(to))
    assert error.value.code == code
    assert snapshot(betting) == before


def test_with_one_big_blind_there_is_nothing_to_raise() -> None:
    """The big blind is all-in from the blind: the small blind calls for what he has left, or folds."""
    betting = Betting(HEADS_UP, (100, 100))
    assert betting.legal() == Legal(fold=True, call=50, min_raise=None, max_raise=None)
    betting.act(CALL)
    assert betting.over
    assert format_betting(betting) == "c///"


def test_only_the_first_in_has_no_call() -> None:
    betting = played(Betting(table(4), (300, 1000, 500, 1000)), "r500")
    assert betting.legal() == Legal(fold=True, call=500, min_raise=1000, max_raise=1000)
    played(betting, "c")
    assert betting.legal() == Legal(fold=True, call=250, min_raise=None, max_raise=None)
    played(betting, "f")
    assert betting.legal() == Legal(fold=True, call=400, min_raise=1000, max_raise=1000)
    played(betting, "c")
    assert not betting.over
    assert betting.street == 1
    assert betting.legal() == Legal(fold=False, call=0, min_raise=500, max_raise=500)


def test_a_big_blind_whom_nobody_pushes_wins_the_blinds() -> None:
    betting = played(Betting(table(3)), "f f")
    assert betting.over
    assert betting.live == 1


def test_limit_games_cannot_be_played_so() -> None:
    with pytest.raises(GameError) as error:
        holdem(2, 50, 100, limit=True, rules="pushfold")
    assert error.value.code == "bad_rules"
    with pytest.raises(GameError) as error:
        load_game("holdem.limit.3p").with_rules("pushfold")
    assert error.value.code == "bad_rules"


def test_the_rules_stand_in_the_game_file() -> None:
    assert parse_game(HEADS_UP.text(), HEADS_UP.name) == HEADS_UP
    assert HEADS_UP.rules == "pushfold"


@pytest.mark.parametrize("seed", range(300))
def test_whoever_puts_chips_in_pushes_or_answers_a_push(seed: int) -> None:
    rng = Random(seed)
    players = rng.randint(2, 10)
    game = table(players, ante=rng.choice((0, 0, 10, 150)))
    stacks = [rng.choice((rng.randint(1, 300), rng.randint(100, 1000))) for _ in range(players)]
    hand = HandState(game, deal(rng, game), stacks=stacks, muck=rng.random() < 0.5)
    pushed = [False] * game.rounds
    while not hand.over:
        legal, street, position = hand.legal(), hand.betting.street, hand.betting.to_act
        behind = stacks[position] - hand.betting.spent[position]
        assert legal.min_raise == legal.max_raise
        if legal.max_raise is not None:
            assert legal.max_raise == hand.betting.street_bet(position) + behind
        assert legal.call in (0, behind) or pushed[street] or legal.max_raise is None
        action = any_action(rng, legal)
        event = hand.act(action)[0]
        assert isinstance(event, Acted)
        if action != FOLD and legal.call == behind and legal.max_raise is not None:
            assert (event.action, event.all_in) == ("raise", True)
        if event.action == "raise":
            assert event.all_in
            pushed[street] = True
    assert sum(hand.values) == 0
    assert replay(game, hand.events, muck=hand._muck).events == hand.events
