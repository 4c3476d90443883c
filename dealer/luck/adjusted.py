"""What one player won without the luck of the cards: for results without duplicate."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from dealer.luck.correction import hand_luck
from dealer.luck.value import ValueFunction, shipped_value
from dealer.rules.events import Acted, Event, ends_of, start_of
from dealer.rules.games import Game

#: Random boards of each hand where counting all would take too long: at most, at least, and for all hands of
#: a result.
BOARDS: Final = 10_000
LEAST_BOARDS: Final = 100
ALL_BOARDS: Final = 200_000


def boards_for(hands: int) -> int:
    """Return the random boards for each of the ``hands`` of a result."""
    return max(LEAST_BOARDS, min(BOARDS, ALL_BOARDS // max(1, hands)))


def all_in_net(game: Game, events: Sequence[Event], seat: int, boards: int = BOARDS) -> float:
    """Return the chips that ``seat`` won in a finished hand, with an all-in paid by equity: what is known
    from the cards that were shown. ``events`` may lack the hole cards of others. If a player in an all-in
    has none, it is paid as it was. ``boards`` as in ``adjusted_net``.
    """
    started = start_of(events)
    folded = {event.seat for event in events if isinstance(event, Acted) and event.action == "fold"}
    known = zip(started.seats, started.hole, strict=True)
    whole = all(len(cards) == game.hole_cards for other, cards in known if other not in folded)
    position = started.seats.index(seat)
    luck = hand_luck(game, events, boards=boards, only_all_ins=True) if whole else None
    ended = ends_of(events)[1]
    return ended.values[position] - (0.0 if luck is None else luck.of_cards(())[position])


def adjusted_net(
    game: Game, events: Sequence[Event], seat: int, boards: int = BOARDS, value: ValueFunction | None = None
) -> float:
    """Return the chips that ``seat`` won in a finished hand of ``game``, without the luck of the cards, hole
    cards included, and of the dice of those who declared their chances.

    Averages are over ``boards`` random boards, the same whenever the hand is computed, or over all if these
    are few. ``value`` is the shipped value function by default.
    """
    luck = hand_luck(game, events, hole=True, boards=boards)
    weights = (shipped_value() if value is None else value).weights(limit=game.limit)
    return luck.without(weights)[start_of(events).seats.index(seat)]
