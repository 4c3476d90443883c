"""How hands follow each other at a table: fixed stacks (ACPC), cash with refill, tournament until one holds
everything.

A format is pure: it owns stacks, button and blind level, and builds the next ``Hand``. The table asks
``next_hand`` and reports ``finished``. Deals come from a factory ``deals_for(game)``, so that the number of
players may change from hand to hand.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol

from dealer.rules.games import Game, holdem
from dealer.rules.hand import CardSource, Hand

__all__ = [
    "DOUBLING",
    "STALEMATE",
    "Cash",
    "Challenge",
    "Deals",
    "Eliminated",
    "FixedStacks",
    "Format",
    "Level",
    "LevelRaised",
    "level_at",
    "Refilled",
    "Stakes",
    "TableEvent",
    "Tournament",
]


#: Hands beyond the last level of a tournament until its blinds double, and between further doublings.
STALEMATE = 1000
DOUBLING = 100


class Deals(Protocol):
    """Where cards come from: a pure function of the hand's number."""

    def deal(self, hand: int) -> CardSource:
        """The cards of that hand."""
        ...

    def draw(self, hand: int, choices: int) -> int:
        """A number from 0 to ``choices`` - 1 for that hand, of which its cards tell nothing."""
        ...


DealsFor = Callable[[Game], Deals]


class Refilled(NamedTuple):
    """A player without chips was given a new stack (cash tables)."""

    seat: int
    stack: float


class Eliminated(NamedTuple):
    """A player lost the last chip of a tournament; ``place`` counts from 1, equal places are ties."""

    seat: int
    place: int


class LevelRaised(NamedTuple):
    """The next hand is played at higher blinds."""

    small_blind: int
    big_blind: int
    ante: int


TableEvent = Refilled | Eliminated | LevelRaised


class Format(Protocol):
    """What a table needs to know of its format."""

    mode: str
    game: Game
    hands: int

    @property
    def title(self) -> str:
        """What is played for now, in words."""
        ...

    def chips(self, seat: int) -> float:
        """What a seat has, or had before the hand in progress."""
        ...

    def next_hand(self) -> Hand | None:
        """The next hand, or None when none can be dealt (the match is over, or too few players)."""
        ...

    def finished(self, hand: Hand) -> Sequence[TableEvent]:
        """Take over the result of a finished hand."""
        ...

    @property
    def over(self) -> bool:
        """No hand will ever follow."""
        ...


def first_button(deals: Deals, seats: Sequence[int]) -> int:
    """Seat of the first button: the highest card of one each, suits breaking ties (clubs lowest), from the
    deal numbered 0.
    """
    cards = deals.deal(0).hole
    return max(zip(seats, cards, strict=True), key=lambda pair: pair[1][0])[0]


class FixedStacks:
    """``hands`` hands in which everyone starts with the game's stacks and positions rotate (ACPC's "Doyle's
    game").
    """

    __slots__ = ("_deals", "_orders", "game", "hand", "hands", "mode")

    def __init__(self, game: Game, deals: Deals, hands: int) -> None:
        n = game.players
        self.mode = "fixed"
        self.game = game
        self.hands = hands
        self.hand = 0
        self._deals = deals
        # Position p of hand h is held by seat (p + h) mod n (ACPC reference dealer 1.0.42).
        self._orders = [tuple((p + h) % n for p in range(n)) for h in range(n)]

    @property
    def over(self) -> bool:
        return self.hand >= self.hands

    @property
    def title(self) -> str:
        return self.game.name

    def chips(self, seat: int) -> float:
        return self.game.stacks[self._orders[self.hand % len(self._orders)].index(seat)]

    def next_hand(self) -> Hand | None:
        number = self.hand
        if number >= self.hands:
            return None
        order = self._orders[number % len(self._orders)]
        return Hand(self.game, self._deals.deal(number), number=number, seats=order, button=order[-1])

    def finished(self, hand: Hand) -> Sequence[TableEvent]:
        self.hand += 1
        return ()


class Stakes(NamedTuple):
    """What a table is played for. ``limit``: small bets are one big blind, large bets two. ``rules`` as in a
    ``Game``.

    ``depth``: everybody begins every hand with the same number of big blinds, which is drawn for each hand
    between these two; ``stack`` counts for nothing then. None: stacks go on from hand to hand.
    """

    small_blind: int
    big_blind: int
    ante: int = 0
    limit: bool = False
    stack: int = 1000
    rules: str = "standard"
    depth: tuple[int, int] | None = None

    @property
    def most(self) -> int:
        """The chips that a hand is begun with by who has just sat down, or the most where they are drawn."""
        return self.stack if self.depth is None else self.depth[1] * self.big_blind

    def game(self, players: int) -> Game:
        """Hold'em for that many players at these stakes."""
        return holdem(
            players,
            self.small_blind,
            self.big_blind,
            ante=self.ante,
            limit=self.limit,
            stack=self.most,
            rules=self.rules,
        )

    @property
    def title(self) -> str:
        """As in ``no-limit hold'em 5/10, ante 1`` or ``push/fold hold'em 50/100, 1-10 big blinds``."""
        kind = "limit" if self.limit else "push/fold" if self.rules == "pushfold" else "no-limit"
        ante = f", ante {self.ante}" if self.ante else ""
        depth = f", {'-'.join(map(str, sorted(set(self.depth))))} big blinds" if self.depth else ""
        return f"{kind} hold'em {self.small_blind}/{self.big_blind}{ante}{depth}"


class Challenge(FixedStacks):
    """``FixedStacks`` at a table for people: hold'em at ``stakes``. Hands are numbered from 1; while
    ``waiting`` none is dealt.
    """

    __slots__ = ("stakes", "waiting")

    def __init__(self, seats: int, stakes: Stakes, deals_for: DealsFor, hands: int) -> None:
        game = stakes.game(seats)
        super().__init__(game, deals_for(game), hands)
        self.mode = "challenge"
        self.stakes = stakes
        self.waiting = False

    @property
    def title(self) -> str:
        return self.stakes.title

    def sources(self, players: int, stakes: Stakes) -> tuple[Game, Deals]:
        """The game of every hand, and its deals."""
        return self.game, self._deals

    def next_hand(self) -> Hand | None:
        if self.waiting or self.over:
            return None
        order = self._orders[self.hand % len(self._orders)]
        number = self.hand + 1
        return Hand(
            self.game, self._deals.deal(number), number=number, seats=order, button=order[-1], muck=True
        )


class _Moving:
    """Stacks that carry over from hand to hand, and a button that moves to the next player still in. While
    ``waiting`` no hand is dealt.
    """

    def __init__(self, seats: int, stakes: Stakes, deals_for: DealsFor, *, muck: bool) -> None:
        self.stakes = stakes
        self.stacks: list[float] = [0] * seats
        self.playing = [False] * seats
        self.hand = 0
        self.waiting = False
        self.button = -1
        self._deals_for = deals_for
        self._muck = muck
        self._games: dict[tuple[int, Stakes], tuple[Game, Deals]] = {}

    @property
    def title(self) -> str:
        return self.stakes.title

    def chips(self, seat: int) -> float:
        return self.stacks[seat]

    def _live(self) -> list[int]:
        return [seat for seat, playing in enumerate(self.playing) if playing]

    def sources(self, players: int, stakes: Stakes) -> tuple[Game, Deals]:
        """The game that so many play at these stakes, and its deals."""
        key = (players, stakes)
        if key not in self._games:
            game = stakes.game(players)
            self._games[key] = (game, self._deals_for(game))
        return self._games[key]

    def _order(self) -> tuple[int, ...]:
        """The seats of the next hand by position; the last has the button."""
        live = self._live()
        if self.button < 0:
            button = first_button(self.sources(len(live), self.stakes)[1], live)
        else:
            button = next((seat for seat in live if seat > self.button), live[0])
        left = next((i for i, seat in enumerate(live) if seat > button), 0)
        return tuple(live[left:] + live[:left])

    def _deal(self, order: tuple[int, ...]) -> Hand:
        game, deals = self.sources(len(order), self.stakes)
        self.button = order[-1]
        self.hand += 1
        stacks = tuple(int(self.stacks[seat]) for seat in order)
        return Hand(
            game,
            deals.deal(self.hand),
            number=self.hand,
            seats=order,
            stacks=stacks,
            button=self.button,
            muck=self._muck,
        )

    def _settle(self, hand: Hand) -> None:
        for seat, stack in zip(hand.seats, hand.final_stacks, strict=True):
            self.stacks[seat] = stack


class Cash(_Moving):
    """A cash table: players come and go between hands; whoever is out of chips gets a new stack ("simple
    mode"), or everybody gets one for every hand where the stakes have a ``depth``.

    ``hands`` 0 means without end. Hands are numbered from 1; number 0 of the deals is the draw for the first
    button.
    """

    def __init__(
        self,
        seats: int,
        stakes: Stakes,
        deals_for: DealsFor,
        *,
        hands: int = 0,
        muck: bool = True,
        full: bool = False,
    ) -> None:
        super().__init__(seats, stakes, deals_for, muck=muck)
        self.mode = "cash"
        self.game = stakes.game(seats)
        self.hands = hands
        self.left: set[int] = set()
        self.until_blind: set[int] = set()
        if full:
            for seat in range(seats):
                self.sit(seat)

    @property
    def over(self) -> bool:
        return 0 < self.hands <= self.hand

    def sit(self, seat: int) -> None:
        """Take part from the next hand on, with a full stack for whoever has none."""
        self.playing[seat] = True
        self.until_blind.discard(seat)
        if self.stacks[seat] <= 0:
            self.stacks[seat] = self.stakes.most

    def sit_out(self, seat: int, *, at_blind: bool = False) -> None:
        """Take no part from the next hand on, or from that in which the seat would have the big blind; the
        chips stay until ``sit`` or ``leave``.
        """
        if at_blind:
            self.until_blind.add(seat)
        else:
            self.playing[seat] = False
            self.until_blind.discard(seat)

    def stays(self, seat: int) -> bool:
        """Whether the seat takes part and has not asked to sit out."""
        return self.playing[seat] and seat not in self.until_blind

    def leave(self, seat: int) -> None:
        """Take no part from the next hand on; the chips go with the player."""
        self.sit_out(seat)
        self.stacks[seat] = 0
        self.left.add(seat)

    def next_hand(self) -> Hand | None:
        while not self.over and not self.waiting and sum(self.playing) > 1:
            order = self._order()
            blind = order[1 if len(order) > 2 else 0]
            if blind not in self.until_blind:
                self.left.clear()
                if self.stakes.depth is not None:
                    self._begin_anew(order, *self.stakes.depth)
                return self._deal(order)
            self.sit_out(blind)
        return None

    def _begin_anew(self, order: tuple[int, ...], least: int, most: int) -> None:
        """Give everybody the stack of the next hand."""
        deals = self.sources(len(order), self.stakes)[1]
        blinds = least + deals.draw(self.hand + 1, most - least + 1)
        for seat in order:
            self.stacks[seat] = blinds * self.stakes.big_blind

    def finished(self, hand: Hand) -> Sequence[TableEvent]:
        # What was won or kept in this hand by somebody who left during it is not his successor's.
        taken = {seat: self.stacks[seat] for seat in self.left}
        self._settle(hand)
        for seat, stack in taken.items():
            self.stacks[seat] = stack
        events = []
        for seat in hand.seats:
            if self.playing[seat] and self.stacks[seat] <= 0 and self.stakes.depth is None:
                self.stacks[seat] = self.stakes.stack
                events.append(Refilled(seat, self.stacks[seat]))
        return events


class Level(NamedTuple):
    """One blind level of a tournament and how many hands it lasts."""

    small_blind: int
    big_blind: int
    ante: int = 0
    hands: int = 10

    def stakes(self, limit: bool, stack: int, rules: str = "standard") -> Stakes:
        """The stakes of this level's hands. Blinds may outgrow the starting ``stack``; the game's own stacks,
        which no hand of a tournament is played with, then grow along: a game must be able to pay its blinds.
        """
        paid = max(self.small_blind, self.big_blind) + self.ante
        return Stakes(self.small_blind, self.big_blind, self.ante, limit, max(stack, paid + 1), rules)


def level_at(levels: Sequence[Level], hand: int) -> Level:
    """The level at which a hand (from 1) is played. The last one stays, but not for ever: after ``STALEMATE``
    hands beyond it blinds and antes double, and again every ``DOUBLING`` hands, so that even players who
    never contest a blind come to an end.
    """
    played = hand - 1
    for level in levels:
        if played < level.hands:
            return level
        played -= level.hands
    last = levels[-1]
    times = 0 if played < STALEMATE else 1 + (played - STALEMATE) // DOUBLING
    factor: int = 2 ** min(times, max(0, 28 - (last.big_blind + last.ante).bit_length()))
    return Level(last.small_blind * factor, last.big_blind * factor, last.ante * factor, last.hands)


class Tournament(_Moving):
    """Equal stacks, rising blinds, no refill; ends when one player holds everything. ``places[seat]`` is the
    finishing order.

    Players who bust in the same hand are placed by the chips they started it with; equal chips share the
    place.
    """

    def __init__(
        self,
        seats: int,
        levels: Sequence[Level],
        stack: int,
        deals_for: DealsFor,
        *,
        limit: bool = False,
        muck: bool = True,
        rules: str = "standard",
    ) -> None:
        self.levels = tuple(levels)
        self._limit = limit
        self._rules = rules
        self._stack = stack
        self.level = self.levels[0]
        super().__init__(seats, self._stakes(), deals_for, muck=muck)
        self.mode = "tournament"
        self.game = self.stakes.game(seats)
        self.hands = 0
        self.stacks = [stack] * seats
        self.playing = [True] * seats
        self.places = [0] * seats

    def stakes_of(self, raised: LevelRaised) -> Stakes:
        """The stakes of the hands that follow the event."""
        return Level(*raised).stakes(self._limit, self._stack, self._rules)

    def _stakes(self) -> Stakes:
        return self.level.stakes(self._limit, self._stack, self._rules)

    @property
    def over(self) -> bool:
        return sum(self.playing) < 2

    def next_hand(self) -> Hand | None:
        return None if self.over or self.waiting else self._deal(self._order())

    def finished(self, hand: Hand) -> Sequence[TableEvent]:
        self._settle(hand)
        events: list[TableEvent] = []
        started = dict(zip(hand.seats, hand.betting.stacks, strict=True))
        out = [seat for seat in hand.seats if self.stacks[seat] <= 0]
        left = sum(self.playing) - len(out)
        for seat in sorted(out, key=lambda seat: -started[seat]):
            place = left + 1 + sum(started[other] > started[seat] for other in out)
            self.playing[seat] = False
            self.places[seat] = place
            events.append(Eliminated(seat, place))
        if left == 1:
            self.places[self._live()[0]] = 1
        else:
            events += self._next_level()
        return events

    def _next_level(self) -> list[TableEvent]:
        level = level_at(self.levels, self.hand + 1)
        if level == self.level:
            return []
        self.level = level
        self.stakes = self._stakes()
        return [LevelRaised(level.small_blind, level.big_blind, level.ante)]
