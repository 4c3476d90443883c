"""A situation in the form that mappings compare: without cards, chips in small blinds."""

from __future__ import annotations

from typing import NamedTuple

from strategy.situation import Situation

BIG_BLIND, BUTTON = 0, 1
"""The heads-up positions."""


class Spot(NamedTuple):
    """A decision of position ``hero`` against ``opponents``, the positions of all others who have not folded.

    * ``rounds``: the actions on each street so far, as words of ``f``, ``c`` and ``r``; ``active``: the
      number of players at the beginning of each of these streets
    * ``lists``: the actions by street and position
    * ``pot`` and ``to_call`` in small blinds, a small blind being half a big blind; ``can_raise``
    * ``first``: the position that is the first to act on this street, if it is still in the hand
    """

    players: int
    street: int
    hero: int
    opponents: tuple[int, ...]
    rounds: tuple[str, ...]
    active: tuple[int, ...]
    lists: tuple[tuple[str, ...], ...]
    pot: float
    to_call: float
    can_raise: bool
    first: int


def make_spot(situation: Situation) -> Spot:
    """Return the spot of a situation."""
    players, street = situation.players, situation.street
    place = {seat: position for position, seat in enumerate(situation.seats)}
    rounds = [""] * (street + 1)
    lists = [[""] * players for _ in rounds]
    for step in situation.history:
        kind = step.kind[0]
        rounds[step.street] += kind
        lists[step.street][place[step.seat]] += kind
    folds = [word.count("f") for word in rounds]
    unit = situation.big_blind / 2 or 1.0
    hero = situation.position
    return Spot(
        players=players,
        street=street,
        hero=hero,
        opponents=tuple(
            position for position, folded in enumerate(situation.folded) if not folded and position != hero
        ),
        rounds=tuple(rounds),
        active=tuple(players - sum(folds[:number]) for number in range(street + 1)),
        lists=tuple(map(tuple, lists)),
        pot=situation.pot / unit,
        to_call=situation.to_call / unit,
        can_raise=situation.legal.min_raise is not None,
        first=situation.game.first_player[street],
    )


def price(pot: float, to_call: float) -> float:
    """Return the pot odds as the winning probability that a call needs: 0 if it is free."""
    return to_call / (pot + to_call)


def preferred_position(hero: int, opponent: int) -> int | None:
    """Return the heads-up position that acts before or after the opponent as ``hero`` does (Glöckner 2013,
    listing 4): the big blind against the button, the button against a blind.

    None between the blinds, for whom no heads-up position fits: the big blind acts last on every street. At
    tables of more than three, positions between the blinds and the button count as the button.
    """
    if (hero < 2) == (opponent < 2):
        return None
    return BIG_BLIND if hero < 2 else BUTTON


def acting_position(spot: Spot, opponent: int) -> int:
    """Return the heads-up position that acts before the opponent on this street if the hero does, and
    otherwise after.
    """
    earlier = (spot.hero - spot.first) % spot.players < (opponent - spot.first) % spot.players
    return BUTTON if earlier == (spot.street == 0) else BIG_BLIND
