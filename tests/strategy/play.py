"""Hands played in one process, for the tests of strategies."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from random import Random
from typing import NamedTuple

from dealer.rules.actions import parse_action
from dealer.rules.betting import Betting
from dealer.rules.cards import parse_cards
from dealer.rules.events import Acted, Chips, Event, HandStarted
from dealer.rules.games import Game, game_descriptions, holdem, load_game
from dealer.rules.hand import HandState
from strategy.observer import Observer
from strategy.registry import Strategy
from strategy.situation import Situation, situation_at

GAMES: dict[str, Game] = {
    **{name: load_game(name) for name in game_descriptions()},
    "short stacks": holdem(4, 5, 10, ante=2, stack=(35, 200, 12, 90)),
    "heads-up": holdem(2, 1, 2, stack=(50, 80)),
    "full ring": holdem(10, 1, 2, stack=200),
    "full ring limit": holdem(10, 1, 2, limit=True),
}


class Cards(NamedTuple):
    """A shuffled deal of the game's cards."""

    hole: tuple[tuple[int, ...], ...]
    streets: tuple[tuple[int, ...], ...]

    def board(self, street: int) -> tuple[int, ...]:
        return self.streets[street]


def shuffled(game: Game, random: Random) -> Cards:
    deck = list(game.deck)
    random.shuffle(deck)
    drawn = iter(deck)
    hole = tuple(tuple(next(drawn) for _ in range(game.hole_cards)) for _ in range(game.players))
    return Cards(hole, tuple(tuple(next(drawn) for _ in range(count)) for count in game.board_cards))


def at(game: Game, actions: str, hole: str, board: str = "") -> Situation:
    """What a player with these cards faces after ``actions``, words with spaces between."""
    betting = Betting(game)
    for action in actions.split():
        betting.act(parse_action(action))
    return situation_at(betting, parse_cards(hole), parse_cards(board))


def decisions(
    game: Game, players: Sequence[Strategy], cards: Cards, *, number: int = 0
) -> Iterator[tuple[HandState, Situation]]:
    """Play a hand, ``players`` by seat; yield each decision before it is taken, as its player sees it.

    Positions rotate with the hand's number, as in the ACPC.
    """
    count = len(players)
    seats = [(position + number) % count for position in range(count)]
    hand = HandState(game, cards, number=number, seats=seats)
    observers = [Observer(game, seat) for seat in range(count)]
    told = 0
    while True:
        for event in hand.events[told:]:
            for observer in observers:
                observer.observe(as_seen(event, observer.seat))
        told = len(hand.events)
        seat = hand.to_act
        if seat is None:
            return
        situation = observers[seat].situation(hand.legal())
        yield hand, situation
        hand.act(players[seat].decide(situation))


def as_seen(event: Event, seat: int) -> Event:
    """The event without the hole cards of others."""
    if isinstance(event, HandStarted):
        hole = tuple(
            cards if owner == seat else () for owner, cards in zip(event.seats, event.hole, strict=True)
        )
        return event._replace(hole=hole)
    return event


def play(game: Game, players: Sequence[Strategy], cards: Cards, *, number: int = 0) -> HandState:
    """Play a hand to its end."""
    *_, (hand, _) = decisions(game, players, cards, number=number)
    return hand


def duplicate(
    game: Game, hero: Callable[[], Strategy], villain: Callable[[], Strategy], *, hands: int, seed: int
) -> list[Chips]:
    """The hero's winnings at each of ``hands`` deals, played heads-up from both seats with fresh memories."""
    results: list[Chips] = []
    for swapped in (False, True):
        random = Random(seed)
        players = [villain(), hero()] if swapped else [hero(), villain()]
        for number in range(hands):
            hand = play(game, players, shuffled(game, random), number=number)
            value = hand.values[hand.seats.index(int(swapped))]
            if swapped:
                results[number] += value
            else:
                results.append(value)
    return results


def actions(hand: HandState) -> list[Acted]:
    return [event for event in hand.events if isinstance(event, Acted)]
