"""What a table asks of a format; stakes, deals, and what can happen between hands."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol

from dealer.rules.games import Game, holdem
from dealer.rules.hand import CardSource, HandState

__all__ = [
    "Deals",
    "DealsFor",
    "Eliminated",
    "Format",
    "LevelRaised",
    "OpenFormat",
    "Refilled",
    "Stakes",
    "TableEvent",
]


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

    def next_hand(self) -> HandState | None:
        """The next hand, or None when none can be dealt (the match is over, or too few players)."""
        ...

    def finish_hand(self, hand: HandState) -> Sequence[TableEvent]:
        """Take over the result of a finished hand."""
        ...

    @property
    def over(self) -> bool:
        """No hand will ever follow."""
        ...

    def place(self, seat: int) -> int:
        """The place in which the seat finished, from 1; 0: it still plays, or there are no places."""
        return 0

    def is_eliminated(self, seat: int) -> bool:
        """Whether the seat has lost its last chip and gets no more."""
        return False


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
    def max_stack(self) -> int:
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
            stack=self.max_stack,
            rules=self.rules,
        )

    @property
    def kind(self) -> str:
        """``limit``, ``push/fold`` or ``no-limit``."""
        return "limit" if self.limit else "push/fold" if self.rules == "pushfold" else "no-limit"

    @property
    def title(self) -> str:
        """As in ``no-limit hold'em 5/10, ante 1`` or ``push/fold hold'em 50/100, 1-10 big blinds``."""
        ante = f", ante {self.ante}" if self.ante else ""
        depth = f", {'-'.join(map(str, sorted(set(self.depth))))} big blinds" if self.depth else ""
        return f"{self.kind} hold'em {self.small_blind}/{self.big_blind}{ante}{depth}"


class OpenFormat(Format):
    """What an open table asks of its format besides. ``paused``: no hand is dealt. ``open_seating``:
    players sit down, sit out and leave between hands; otherwise all begin together, and the table acts for
    whoever leaves.
    """

    open_seating: bool = False
    hand: int
    stakes: Stakes
    paused: bool

    def game_and_deals(self, players: int, stakes: Stakes) -> tuple[Game, Deals]:
        """The game that so many play at these stakes, and its deals."""
        raise NotImplementedError

    def sit_in(self, seat: int) -> None:
        """Take part from the next hand on, with a full stack for whoever has none."""
        return

    def sit_out(self, seat: int, *, at_blind: bool = False) -> None:
        """Take no part from the next hand on, or from that in which the seat would have the big blind; the
        chips stay until ``sit_in`` or ``leave``.
        """
        return

    def leave(self, seat: int) -> None:
        """Take no part from the next hand on; the chips go with the player."""
        return

    def stakes_of(self, raised: LevelRaised) -> Stakes:
        """The stakes of the hands that follow the event."""
        return self.stakes

    def is_sitting_out(self, seat: int) -> bool:
        """Whether the seat is not dealt in although somebody may hold it."""
        return False

    def is_sitting_in(self, seat: int) -> bool:
        """Whether the seat takes part and has not asked to sit out."""
        return True
