"""Checks of strategies: games that they cannot play, and impossible situations."""

from __future__ import annotations

from math import inf
from typing import NamedTuple

from dealer.rules.games import Game
from strategy.errors import StrategyError
from strategy.situation import ObservedSituation, PastAction, Situation, SituationError

_DECIDES = "decides"
# The kind of the step after the history: the decision itself.


class UnplayableGame(StrategyError):
    """A strategy cannot play this game; the message says which it can."""

    code = "unplayable_game"


def require_holdem(name: str, game: Game) -> None:
    """Check that ``game`` is hold'em with the whole deck, limit or not. Raises UnplayableGame."""
    if (game.suits, game.ranks, game.hole_cards, game.board_cards) != (4, 13, 2, (0, 3, 1, 1)):
        raise UnplayableGame(f"{name} plays hold'em only, and {game.name} is not")


def verify_situation(situation: Situation) -> None:
    """Check what every decision in hold'em relies on: cards, seats, chips, history. Raises SituationError.

    What an ``Observer`` saw is not checked: it precedes every decision, and such a check takes a fifth of a
    simple bot's time.
    """
    if isinstance(situation, ObservedSituation):
        return
    hole, board = situation.hole, situation.board
    cards = (*hole, *board)
    if not 0 <= situation.street < 4 or len(hole) != 2 or len(board) != (0, 3, 4, 5)[situation.street]:
        raise SituationError(
            f"{len(hole)} hole cards and {len(board)} board cards on street {situation.street}"
        )
    if len(set(cards)) < len(cards) or min(cards) < 0 or max(cards) > 51:
        raise SituationError(f"not different cards of the deck: {cards}")
    verify_betting(situation)
    if not any(situation.paid):
        raise SituationError("nothing in the pot: without blinds and antes there is nothing to play for")


def verify_betting(situation: Situation) -> None:
    """Check seats, chips, legal actions and the history, in any game. Raises SituationError.

    Every situation of the rules passes, as far as tests show. One that passes may still be impossible: blinds
    and antes are not checked, since ``situation.game`` may have those of another level, nor is the order of
    acting.
    """
    if isinstance(situation, ObservedSituation):
        return
    seats, stacks, folded = situation.seats, situation.stacks, situation.folded
    if situation.seat not in seats:
        raise SituationError(f"seat {situation.seat} is not in the hand")
    lengths = set(map(len, (seats, set(seats), stacks, situation.paid, situation.bets, folded)))
    if len(lengths) > 1 or situation.button not in seats:
        raise SituationError(f"not one of everything for each of the seats {seats}, or button elsewhere")
    position = seats.index(situation.seat)
    if folded[position] or folded.count(False) < 2:
        raise SituationError(f"seat {situation.seat} has nothing to decide")
    if not (min(stacks) >= 0 and stacks[position] > 0 and sum(stacks) < inf):
        raise SituationError(f"stacks of {stacks}, and seat {situation.seat} is to decide")
    game = situation.game
    # Under the acpc rules a player with less than the bet may raise all-in in limit games: that lowers the
    # bet, and later calls give chips back. As long as nobody is all-in it has not happened.
    loose = game.limit and game.rules == "acpc" and 0 in stacks
    history = _replay_history(situation, loose)
    if folded != tuple([seat in history.folds for seat in seats]):
        raise SituationError(f"folded are {folded}, and by the history the seats {sorted(history.folds)}")
    top = history.level or (0 if situation.street else max(situation.bets))
    _verify_chips(situation, history, top, loose)
    _verify_legal(situation, history, top, loose)


class _HistoryFacts(NamedTuple):
    """Facts from the history.

    They are the chips in front of those who have acted on this street, by seat; the last raise of the street
    (0: none); the player's own payments on earlier streets; the players who have folded.
    """

    placed: dict[int, int]
    level: int
    before: int
    folds: set[int]


def _replay_history(situation: Situation, loose: bool) -> _HistoryFacts:
    """Go through the history: nobody acts twice without a raise in between, and no street ends before the
    player has answered and matched every bet.
    """
    own, seats, caps = situation.seat, situation.seats, situation.game.max_raises
    street = level = raises = before = 0
    placed: dict[int, int] = {}
    answered: set[int] = set()
    folds: set[int] = set()
    for at, actor, kind, to in (*situation.history, PastAction(situation.street, own, _DECIDES, 0)):
        if at != street:
            if at != street + 1 or at >= len(caps) or own not in answered:
                raise SituationError(f"street {street} does not end so, or street {at} does not follow it")
            if not (loose or max(placed.values()) == placed[own]):
                raise SituationError(f"seat {own} did not call all on street {street}")
            before += placed[own]
            street, level, raises, placed, answered = at, 0, 0, {}, set()
        if actor in answered or actor in folds or actor not in seats:
            raise SituationError(f"seat {actor} acted on street {at} and was not to act")
        if kind == "call":
            answered.add(actor)
            placed[actor] = to
        elif kind == "raise":
            raises += 1
            if raises > caps[street] or not (loose or to > level):
                raise SituationError(f"raise {raises} of street {street} from {level} to {to}")
            answered = {actor}
            placed[actor] = level = to
        elif kind == "fold":
            folds.add(actor)
        elif kind != _DECIDES:
            raise SituationError(f"no action is called {kind!r:.40}")
        if not to >= 0 or (to and kind == "fold"):
            raise SituationError(f"a {kind} to {to}")
    return _HistoryFacts(placed, level, before, folds)


def _verify_chips(situation: Situation, facts: _HistoryFacts, top: int, loose: bool) -> None:
    """Check what each player has paid; ``top`` is the largest bet of the street.

    All who can still act have paid the same before this street (before the flop: the ante), the others at
    most as much. On this street it follows from their actions and, before the flop, blinds.
    """
    seats, stacks, paid, bets = situation.seats, situation.stacks, situation.paid, situation.bets
    own = seats.index(situation.seat)
    start = paid[own] - bets[own]
    placed, folds, preflop = facts.placed, facts.folds, not situation.street
    good = loose or facts.before <= start
    for seat, stack, spent, bet in zip(seats, stacks, paid, bets, strict=True):
        if not 0 <= bet <= spent:
            good = False
        elif not loose:
            rest = spent - bet
            if rest != start and (rest > start or (stack and seat not in folds)):
                good = False
            if bet > top or bet != placed.get(seat, bet if preflop else 0):
                good = False
    if not good:
        raise SituationError(f"{paid} paid with bets of {bets}, after {situation.history}")


def _verify_legal(situation: Situation, facts: _HistoryFacts, top: int, loose: bool) -> None:
    """Check the legal actions; ``top`` is the largest bet of the street."""
    fold, call, low, high = situation.legal
    own = situation.position
    stack, bet = situation.stacks[own], situation.bets[own]
    owed = min(stack, max(0, top - bet))
    push = situation.game.rules == "pushfold" and not facts.level and call == stack and high == bet + stack
    good = owed == call or loose or push or (owed < call and _short_blind(situation, facts))
    if not (good and 0 <= call <= stack and fold == (call > 0)):
        raise SituationError(f"{call} to call with a stack of {stack}, a bet of {bet} and another of {top}")
    if low is None or high is None:
        good = low is high
    else:
        good = 0 < low <= high <= bet + stack and (low == high or not situation.game.limit)
        lowers = situation.game.limit and situation.game.rules == "acpc" and low == bet + stack
        good = good and (low > bet + call or loose or lowers or push)
    if not good:
        raise SituationError(f"raises from {low} to {high} with a stack of {stack} and {bet + call} to call")


def _short_blind(situation: Situation, facts: _HistoryFacts) -> bool:
    """Return whether more may be owed than anybody has bet: a big blind may have been posted short, and
    nobody with chips behind has called it.
    """
    if situation.street or facts.level or 0 not in situation.stacks:
        return False
    return not any(situation.stacks[situation.seats.index(seat)] for seat in facts.placed)
