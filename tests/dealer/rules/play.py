"""Hands for the tests of the rules: cards by hand, tables and whole hands at random."""

from __future__ import annotations

from random import Random
from typing import NamedTuple

from dealer.rules.actions import CALL, FOLD, Action, raise_to
from dealer.rules.betting import Betting
from dealer.rules.cards import parse_cards
from dealer.rules.games import GAMES, Game, holdem, load_game
from dealer.rules.hand import HandState
from dealer.rules.legal import Legal
from dealer.rules.notation import format_betting

GAME_FILES = sorted(path.stem for path in GAMES.glob("*.game"))


class Cards(NamedTuple):
    """The cards of one hand."""

    hole: tuple[tuple[int, ...], ...]
    boards: tuple[tuple[int, ...], ...]

    def board(self, street: int) -> tuple[int, ...]:
        return self.boards[street]


def cards(hole: str, board: str = "") -> Cards:
    """``cards("AhKd|2c2d", "7h8h9h/Ts/Jc")``: hole cards per position, then the board from the flop on."""
    return Cards(
        tuple(parse_cards(part) for part in hole.split("|")),
        ((), *(parse_cards(part) for part in board.split("/"))),
    )


def deal(rng: Random, game: Game) -> Cards:
    """Random cards for a game."""
    deck = list(game.deck)
    rng.shuffle(deck)

    def draw(count: int) -> tuple[int, ...]:
        return tuple(deck.pop() for _ in range(count))

    hole = tuple(draw(game.hole_cards) for _ in range(game.players))
    return Cards(hole, tuple(draw(count) for count in game.board_cards))


def any_action(rng: Random, legal: Legal) -> Action:
    """One of the legal actions: any kind, and any size of a raise."""
    actions = [CALL, FOLD] if legal.fold else [CALL]
    if legal.min_raise is not None and legal.max_raise is not None:
        low, high = legal.min_raise, legal.max_raise
        actions += [raise_to(rng.randint(low, high)), raise_to(rng.choice((low, low, low, high)))]
    return rng.choice(actions)


def any_table(rng: Random) -> tuple[Game, tuple[int, ...] | None]:
    """A game of either rule set, from a file or made up, and stacks (None: the game's)."""
    rules = rng.choice(("acpc", "standard"))
    if rng.random() < 0.3:
        return load_game(rng.choice(GAME_FILES)).with_rules(rules), None
    players = rng.randint(2, 10)
    big_blind = rng.choice((2, 5, 20))
    ante = rng.choice((0, 0, 1, 5))
    game = holdem(players, big_blind // 2, big_blind, ante=ante, limit=rng.random() < 0.4, rules=rules)
    # The reference dealer knows no stack that cannot pay the blinds; and its limit bets can be lowered by a
    # player who has less than the bet, which is tested by itself.
    least = big_blind + ante + 1 if rules == "acpc" else 1
    if rules == "acpc" and game.limit:
        return game, None
    depth = rng.choice((2, 10, 100)) * big_blind
    return game, tuple(rng.randint(least, least + depth) for _ in range(players))


def any_hand(seed: int, *, finish: bool = True) -> HandState:
    """A hand played at random; without ``finish`` it may be left anywhere."""
    rng = Random(seed)
    game, stacks = any_table(rng)
    seats = rng.sample(range(game.players + 2), game.players)
    hand = HandState(game, deal(rng, game), number=seed, seats=seats, stacks=stacks, muck=rng.random() < 0.5)
    while not hand.over and (finish or rng.random() < 0.9):
        hand.act(any_action(rng, hand.legal()), rng.choice(("", "", "timeout")))
    return hand


def played(betting: Betting, text: str) -> Betting:
    """The betting after more actions: ``f``, ``c``, ``r`` and raises to a total of the street, ``r300``."""
    for word in text.split():
        action = {"f": FOLD, "c": CALL}.get(word) or raise_to(int(word[1:] or 0))
        betting.act(action)
    return betting


def snapshot(betting: Betting) -> tuple[object, ...]:
    """Everything that an action could change."""
    return (
        betting.key(),
        betting.live,
        betting.aggressor,
        tuple(betting.history),
        format_betting(betting),
        betting.legal(),
    )
