from __future__ import annotations

from dataclasses import replace
from random import Random

import numpy as np
import pytest

from dealer.rules.actions import CALL as CHECK_OR_CALL
from dealer.rules.actions import FOLD as GIVE_UP
from dealer.rules.actions import raise_to
from dealer.rules.betting import Betting
from dealer.rules.evaluation import rank_hand
from dealer.rules.games import Game, holdem
from dealer.rules.pots import FOLDED as OUT
from dealer.rules.pots import settle
from strategy.playout.playout import (
    ACTOR,
    BETS,
    CALL,
    CHIPS,
    FOLD,
    FOLDED,
    LEVEL,
    NEEDS,
    PAID,
    PLAYER_ROWS,
    RAISE,
    RAISES,
    STACK,
    STREET,
    act,
    next_actor,
    payout,
)
from strategy.poker.combos import combo_index
from strategy.poker.kernels import TABLE, Ints, keys_of


def opening(betting: Betting) -> tuple[Ints, Ints]:
    """The state before the first action; whoever acted last is the one before him who begins."""
    game, count = betting.game, betting.game.players
    players = np.zeros((PLAYER_ROWS, count), np.int64)
    players[PAID] = betting.spent
    players[CHIPS] = betting.blinds
    players[STACK] = np.array(betting.stacks) - betting.spent
    players[LEVEL] = [blind == max(game.blinds) for blind in betting.blinds]
    players[NEEDS] = 1
    return players, np.array([0, 1, 0, (betting.to_act - 1) % count])


def same(betting: Betting, players: Ints, now: Ints) -> bool:
    chips = [betting.street_bet(position) for position in range(len(betting.spent))]
    return (
        players[PAID].tolist() == list(betting.spent)
        and players[CHIPS].tolist() == chips
        and players[FOLDED].tolist() == list(map(int, betting.folded))
        and (now[STREET], now[ACTOR]) == (betting.street, betting.to_act)
    )


@pytest.mark.parametrize(
    "game",
    [
        *(holdem(players, 5, 10, limit=True) for players in (2, 3, 6, 10)),
        # Who is all-in is so with a whole bet.
        replace(holdem(4, 5, 10, limit=True, stack=60), raise_sizes=(10,) * 4),
    ],
    ids=["2", "3", "6", "10", "short"],
)
def test_hands_go_on_as_the_rules_say(game: Game) -> None:
    random = Random(game.players)
    for _ in range(150):
        betting = Betting(game)
        players, now = opening(betting)
        first = np.array(game.first_player)
        raises = street = 0
        while not betting.over:
            assert next_actor(players, now, first)
            raises = raises if now[STREET] == street else 0
            street = int(now[STREET])
            assert same(betting, players, now)
            assert (now[RAISES], now[BETS]) == (raises, raises + (street == 0))
            legal, position = betting.legal(), betting.to_act
            bet = int(players[CHIPS].max())
            kinds = ["call", *["fold"] * legal.fold, *["raise"] * (legal.min_raise is not None)]
            match random.choice(kinds):
                case "fold":
                    betting.act(GIVE_UP)
                    act(players, now, position, FOLD, 0)
                case "raise":
                    raises += 1
                    betting.act(raise_to(bet + game.raise_sizes[street]))
                    act(players, now, position, RAISE, bet + game.raise_sizes[street])
                case _:
                    betting.act(CHECK_OR_CALL)
                    act(players, now, position, CALL, 0)
            assert players[LEVEL, position] == now[BETS] or players[FOLDED, position]
        assert not next_actor(players, now, first)
        assert players[PAID].tolist() == list(betting.spent)


@pytest.mark.parametrize("count", [2, 3, 6, 10])
def test_pots_are_divided_as_the_rules_say(count: int) -> None:
    random = Random(count)
    for _ in range(300):
        deck = random.sample(range(52), 5 + 2 * count)
        board, holes = deck[:5], [deck[5 + 2 * i : 7 + 2 * i] for i in range(count)]
        if random.random() < 0.3:
            # The board plays for nearly all.
            board = [32, 36, 40, 44, 51]
            holes = [[4 * i, 4 * i + 1] for i in range(count)] if count < 8 else holes
            if {*board} & {card for hole in holes for card in hole}:
                continue
        players = np.zeros((PLAYER_ROWS, count), np.int64)
        players[PAID] = [random.choice((5, 20, 20, 35, 60)) for _ in range(count)]
        players[FOLDED] = [random.random() < 0.3 for _ in range(count)]
        players[FOLDED, players[PAID].argmax()] = 0
        ranks = [
            OUT if folded else rank_hand((*board, *hole))
            for folded, hole in zip(players[FOLDED], holes, strict=True)
        ]
        spent = players[PAID].tolist()
        hands = np.array([combo_index(*hole) for hole in holes])
        found = [payout(TABLE, players, hands, own, *keys_of(board)) for own in range(count)]
        values = settle(spent, ranks, fractions=True).values
        expected = [float(value + chips) for value, chips in zip(values, spent, strict=True)]
        assert found == pytest.approx(expected)
        assert sum(found) == pytest.approx(sum(spent))
