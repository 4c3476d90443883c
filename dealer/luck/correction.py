"""A hand without luck: what each player won, less what each deal of cards and each draw of dice brought
him.

All cards are in the record, folded ones too. So at each deal of cards the host can tell what it
changed, compared with all cards that could have come; and if a bot declares the chances of its actions,
at each of its draws what the draw changed, compared with all it could have done. The expectation of
every difference is nil, whatever the strategies and the value function are, and so is that of their
sum, which is subtracted. An all-in is paid by equity.

Sources: White and Bowling 2009, "Learning a value analysis tool for agent evaluation" (IJCAI), section
3; Burch, Schmid, Moravcik, Morrill and Bowling 2018, "AIVAT" (AAAI), section 4, without ranges.
"""

from __future__ import annotations

from collections.abc import Sequence
from operator import mul
from typing import TYPE_CHECKING, Final, NamedTuple

from dealer.luck.value import (
    CLOSED,
    CLOSED_SIZE,
    FLOP,
    OPEN,
    OPEN_SIZE,
    RIVER,
    TERMS,
    TURN,
    Money,
    card_terms,
    closed_terms,
    open_terms,
)
from dealer.rules.actions import Action, parse_action
from dealer.rules.betting import Betting
from dealer.rules.events import Acted, BoardDealt, Chips, Event, HandEnded, HandStarted
from dealer.rules.games import Game
from dealer.rules.pots import FOLDED, settle

if TYPE_CHECKING:
    from dealer.luck.showdowns import Duel

#: Random boards before the flop: at least, at most, and for a pot of one big blind squared.
LEAST_BOARDS: Final = 64
MOST_BOARDS: Final = 2000
_BOARDS_PER_SQUARE: Final = 0.05
#: Big blinds behind, beyond which deeper stacks make no difference to the value function.
_DEEPEST: Final = 500
_NOTHING: Final[tuple[float, ...]] = ()


class Luck(NamedTuple):
    """What one source of luck brought: ``base`` are chips by position, by the value function without
    weights. Weights w of the value function bring w * ``terms`` more to the first of the hand's
    ``pair``, and take it from the second; without terms nothing.
    """

    base: tuple[float, ...]
    terms: tuple[float, ...]


class Draws(NamedTuple):
    """What a player's dice brought him, by the weights of ``hand_luck``, and the variance of that if the
    chances that he declared are true.
    """

    sum: float
    variance: float


class HandLuck(NamedTuple):
    """The luck of a hand, by source: the cards, and the dice of each position that declares its
    chances. ``won`` are the chips by position.
    """

    won: tuple[Chips, ...]
    pair: tuple[int, int]
    cards: Luck
    dice: dict[int, Luck]
    draws: dict[int, Draws]

    def of_cards(self, weights: Sequence[float]) -> tuple[float, ...]:
        """Return what the cards brought each position, by ``weights`` (``TERMS`` numbers, or none)."""
        return self._total(self.cards, weights)

    def of_dice(self, position: int, weights: Sequence[float]) -> tuple[float, ...]:
        """Return what a position's dice brought each position."""
        return self._total(self.dice[position], weights)

    def without(self, weights: Sequence[float]) -> tuple[float, ...]:
        """Return the chips by position without any of this luck."""
        luck = [self.of_cards(weights), *(self.of_dice(position, weights) for position in self.dice)]
        return tuple([won - sum(parts) for won, *parts in zip(self.won, *luck, strict=True)])

    def _total(self, luck: Luck, weights: Sequence[float]) -> tuple[float, ...]:
        if not weights or not luck.terms:
            return luck.base
        more = sum(map(mul, weights, luck.terms))
        one, other = self.pair
        result = list(luck.base)
        result[one] += more
        result[other] -= more
        return tuple(result)


class _Source:
    """Luck of one source, added up."""

    def __init__(self, players: int) -> None:
        self.base = [0.0] * players
        self.terms: list[float] = []

    def add(self, base: Sequence[float], factor: float) -> None:
        self.base = [luck + factor * chips for luck, chips in zip(self.base, base, strict=True)]

    def add_terms(self, at: int, terms: Sequence[float], factor: float) -> None:
        if not self.terms:
            self.terms = [0.0] * TERMS
        for index, term in enumerate(terms, at):
            self.terms[index] += factor * term

    def luck(self) -> Luck:
        return Luck(tuple(self.base), tuple(self.terms))


class _Node(NamedTuple):
    """The value of a node: chips by position, and terms of the pair."""

    base: tuple[float, ...]
    at: int
    terms: Sequence[float]


def hand_luck(
    game: Game,
    events: Sequence[Event],
    *,
    weights: Sequence[float] = (),
    hole: bool = False,
    boards: int | None = None,
    only_all_ins: bool = False,
) -> HandLuck:
    """Return the luck in a finished hand of ``game``.

    ``weights``: of the value function that will be used, for ``draws``. ``hole``: the hole cards are luck,
    too. Over all seatings of a deal they cancel out anyway. ``boards``: the number of random boards, where
    these are too many to count; by default more for larger pots. ``only_all_ins``: only cards dealt when
    nobody could bet any more are luck, and no dice. Then hole cards of those who folded may be missing, and
    are taken for cards of the deck.
    """
    return _Walk(game, events, weights, hole=hole, boards=boards, only_all_ins=only_all_ins).result()


class _Walk:
    """Goes through a hand and adds up its luck."""

    def __init__(
        self,
        game: Game,
        events: Sequence[Event],
        weights: Sequence[float],
        *,
        hole: bool,
        boards: int | None,
        only_all_ins: bool,
    ) -> None:
        started, ended = events[0], events[-1]
        assert isinstance(started, HandStarted)
        assert isinstance(ended, HandEnded)
        self._events = events
        self._weights = weights
        self._fixed_boards = boards
        self._started = started
        self._deck = game.deck
        self._size = sum(game.board_cards)
        self._values: tuple[Chips, ...] = ended.values
        players = len(started.seats)
        self._players = range(players)
        self._spent = [ante + blind for ante, blind in zip(started.antes, started.blinds, strict=True)]
        self._folded = [False] * players
        self._board: tuple[int, ...] = ()
        self._street = 0
        self._lead = -1
        self._cards = _Source(players)
        self._dice: dict[int, _Source] = {}
        self._draws: dict[int, Draws] = {}
        self._pair = (0, 1)
        self._big = max(1, *started.blinds)
        # Stacks may have no end; this much is bet at most, more or less.
        self._most = 2 * sum(game.raise_sizes) if game.limit else _DEEPEST * self._big
        # The rules are needed only to know what an action that was not taken would have led to.
        declared = any(isinstance(event, Acted) and event.policy for event in events)
        self._betting = Betting(game, started.stacks) if declared and not only_all_ins else None
        self._only_all_ins = only_all_ins
        if hole:
            self._cards.add(self._base_now(), 1.0)
            self._cards.add(settle(self._spent, [1] * players, fractions=True).values, -1.0)

    def result(self) -> HandLuck:
        """Return the luck of the whole hand, or of its all-in."""
        for event in self._events:
            if isinstance(event, Acted):
                self._act(event)
            elif isinstance(event, BoardDealt):
                if self._is_all_in():
                    self._cards.add(self._values, 1.0)
                    self._cards.add(self._base_now(), -1.0)
                    break
                if self._only_all_ins:
                    self._board += event.cards
                else:
                    self._deal(event)
        dice = {position: source.luck() for position, source in self._dice.items()}
        return HandLuck(self._values, self._pair, self._cards.luck(), dice, self._draws)

    # Nodes

    def _live(self) -> list[int]:
        return [position for position in self._players if not self._folded[position]]

    def _is_all_in(self) -> bool:
        """Return whether nobody can bet any more."""
        stacks = self._started.stacks
        return sum([stacks[i] > self._spent[i] for i in self._live()]) <= 1

    def _boards(self) -> int:
        """Return the number of random boards: large pots are worth more work."""
        if self._fixed_boards is not None:
            return self._fixed_boards
        bets = sum(self._spent) / self._big
        return min(MOST_BOARDS, LEAST_BOARDS + int(_BOARDS_PER_SQUARE * bets * bets))

    def _duel(self, live: Sequence[int]) -> Duel:
        hole = self._started.hole
        one, other = live
        dead = tuple([card for i in self._players if i not in live for card in hole[i]])
        # Here, as most servers never need it: with it comes numpy.
        from dealer.luck.showdowns import duel

        return duel(self._deck, (hole[one], hole[other]), dead, self._size)

    def _base_now(self) -> tuple[float, ...]:
        """Return the chips by position if nobody bets any more."""
        live = self._live()
        if len(live) == 2:
            win, tie = self._duel(live).chances(self._board, self._boards())
            return self._shared(self._spent, live, win, tie)
        return self._base_of(self._spent, live)

    def _base_of(self, spent: Sequence[int], live: Sequence[int]) -> tuple[float, ...]:
        if len(live) == 1:
            ranks = [0 if position in live else FOLDED for position in self._players]
            return settle(spent, ranks, fractions=True).values
        from dealer.luck.showdowns import orders

        folded = tuple([position not in live for position in self._players])
        found = orders(self._deck, self._started.hole, folded, self._board, self._size, self._boards())
        total = [0.0] * len(self._players)
        for order, many in found.items():
            for position, value in enumerate(settle(spent, order, fractions=True).values):
                total[position] += many * value
        whole = found.total()
        return tuple([chips / whole for chips in total])

    def _shared(self, spent: Sequence[int], live: Sequence[int], win: float, tie: float) -> tuple[float, ...]:
        won, tied, lost = self._outcomes(spent, live)
        lose = 1 - win - tie
        return tuple([win * a + tie * b + lose * c for a, b, c in zip(won, tied, lost, strict=True)])

    def _outcomes(self, spent: Sequence[int], live: Sequence[int]) -> list[tuple[Chips, ...]]:
        """Return the chips by position if the first of two wins, ties, or loses."""
        one, other = live
        results = []
        for mine, his in ((1, 0), (0, 0), (0, 1)):
            ranks = [FOLDED] * len(self._players)
            ranks[one], ranks[other] = mine, his
            results.append(settle(spent, ranks, fractions=True).values)
        return results

    def _money(self, spent: Sequence[int], live: Sequence[int], *, called: bool) -> Money:
        """Return the money of two players; ``called``: after a call of what is open."""
        stacks = self._started.stacks
        one, other = live
        both = max(spent[one], spent[other]) if called else min(spent[one], spent[other])
        both = min(both, stacks[one], stacks[other])
        dead = sum([spent[i] for i in self._players if i not in live])
        return Money(float(2 * both + dead), float(min(self._most, min(stacks[one], stacks[other]) - both)))

    # Luck

    def _deal(self, event: BoardDealt) -> None:
        before = self._board
        live = self._live()
        self._street = event.street
        if len(live) > 2:
            self._cards.add(self._base_now(), -1.0)
            self._board = before + event.cards
            self._cards.add(self._base_now(), 1.0)
            return
        self._pair = live[0], live[1]
        both, many = self._duel(live), self._boards()
        money = self._money(self._spent, live, called=True)
        old, new, shapes = both.change(before, event.cards, many)
        self._board = before + event.cards
        # The first of the two acts first on every later street.
        lead = 0.0 if self._lead not in live else 1.0 if self._lead == live[0] else -1.0
        at = FLOP if not shapes.both else RIVER if len(self._board) == self._size else TURN
        self._cards.add_terms(at, card_terms(money, shapes, -1.0, lead), 1.0)
        self._cards.add(self._shared(self._spent, live, *new), 1.0)
        self._cards.add(self._shared(self._spent, live, *old), -1.0)

    def _act(self, event: Acted) -> None:
        position = self._started.seats.index(event.seat)
        if self._betting is not None:
            if len(event.policy) > 1:
                self._draw(position, event)
            self._betting.act(Action("raise", event.to) if event.action == "raise" else Action(event.action))
        self._spent[position] += event.paid
        self._folded[position] |= event.action == "fold"
        if event.action == "raise":
            self._lead = position

    def _draw(self, position: int, event: Acted) -> None:
        """Add what the player's dice brought: the action taken, compared with all that he could have
        drawn."""
        assert self._betting is not None
        taken = event.action, self._spent[position] + event.paid
        source = self._dice.setdefault(position, _Source(len(self._players)))
        mean = squares = brought = 0.0
        for text, chance in event.policy:
            after = self._betting.copy()
            after.act(parse_action(text))
            node = self._value_of(position, after)
            # As it counts: a call can be a raise, and the raise of a limit game has no amount.
            done = (after.history[-1][2].kind, after.spent[position]) == taken
            source.add(node.base, done - chance)
            if node.terms:
                source.add_terms(node.at, node.terms, done - chance)
            own = node.base[position]
            if node.terms and self._weights:
                more = sum(map(mul, self._weights[node.at :], node.terms))
                own += more if position == self._pair[0] else -more
            mean += chance * own
            squares += chance * own * own
            brought += done * own
        old = self._draws.get(position, Draws(0.0, 0.0))
        self._draws[position] = Draws(
            old.sum + brought - mean, old.variance + max(0.0, squares - mean * mean)
        )

    def _value_of(self, position: int, after: Betting) -> _Node:
        spent, folded = after.spent, after.folded
        live = [i for i in self._players if not folded[i]]
        if len(live) != 2:
            return _Node(self._base_of(spent, live), 0, _NOTHING)
        both, many = self._duel(live), self._boards()
        win, tie, one, other = both.outlook(self._board, many)
        base = self._shared(spent, live, win, tie)
        equity = win + tie / 2
        if after.to_act < 0 or len(self._live()) > 2:
            return _Node(base, 0, _NOTHING)
        self._pair = live[0], live[1]
        if after.street != self._street:
            money = self._money(spent, live, called=True)
            return _Node(base, CLOSED + self._street * CLOSED_SIZE, closed_terms(money, equity, one, other))
        first = position == live[0]
        opponent = live[1] if first else live[0]
        if not first:
            equity, one, other = 1 - equity, other, one
        money = self._money(spent, live, called=True)
        taken = float(sum(spent) - spent[position]) if spent[position] > spent[opponent] else 0.0
        terms = open_terms(money, taken, equity, one, other, -1.0 if first else 1.0)
        at = OPEN + (self._street + 4 * (taken > 0)) * OPEN_SIZE
        return _Node(base, at, terms if first else [-term for term in terms])
