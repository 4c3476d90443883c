"""The interface between table and format; stakes, deals, and events between hands."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol

from dealer.rules.events import Chips
from dealer.rules.games import Game, holdem
from dealer.rules.hand import CardSource, HandState


class Deals(Protocol):
    """The source of cards: a pure function of the hand's number."""

    def deal(self, hand: int) -> CardSource:
        """Return the cards of that hand."""
        ...

    def draw(self, hand: int, choices: int) -> int:
        """Return a number from 0 to ``choices`` - 1 for that hand, independent of its cards."""
        ...


DealsFor = Callable[[Game], Deals]


class Refilled(NamedTuple):
    """A player without chips was given a new stack (cash tables)."""

    seat: int
    stack: Chips


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


class TableFormat:
    """What a table needs to know of its format."""

    # No ABC and no Protocol: of those, compiled subclasses would count as instances of each other.

    mode: str
    game: Game
    hands: int

    @property
    @abstractmethod
    def title(self) -> str:
        """Return the game and its current stakes in words."""

    @abstractmethod
    def chips(self, seat: int) -> Chips:
        """Return the chips of a seat, without the effect of the hand in progress."""

    @abstractmethod
    def next_hand(self) -> HandState | None:
        """Return the next hand, or None if there is none: the match is over, or there are too few players."""

    @abstractmethod
    def finish_hand(self, hand: HandState) -> Sequence[TableEvent]:
        """Apply the result of a finished hand."""

    @property
    @abstractmethod
    def over(self) -> bool:
        """Return whether no hand will follow."""

    def place(self, seat: int) -> int:
        """Return the final place of the seat, from 1; 0: it still plays, or there are no places."""
        return 0

    def is_eliminated(self, seat: int) -> bool:
        """Return whether the seat has lost its last chip and gets no more."""
        return False


class Stakes(NamedTuple):
    """What a table is played for. ``limit``: small bets are one big blind, large bets two. ``rules`` as in a
    ``Game``.

    ``depth``: everybody begins every hand with the same number of big blinds, which is drawn for each hand
    between these two; ``stack`` counts for nothing then. None: stacks go on from hand to hand. ``straddle``:
    what the player after the big blind posts in every hand of four or more; 0: nothing.
    """

    small_blind: int
    big_blind: int
    ante: int = 0
    limit: bool = False
    stack: int = 1000
    rules: str = "standard"
    depth: tuple[int, int] | None = None
    straddle: int = 0

    @property
    def max_stack(self) -> int:
        """Return the chips of a player who has just sat down; the maximum if they are drawn."""
        return self.stack if self.depth is None else self.depth[1] * self.big_blind

    def game(self, players: int) -> Game:
        """Return hold'em for that many players at these stakes."""
        return holdem(
            players,
            self.small_blind,
            self.big_blind,
            ante=self.ante,
            limit=self.limit,
            stack=self.max_stack,
            rules=self.rules,
            straddle=self.straddle,
        )

    @property
    def kind(self) -> str:
        """Return ``limit``, ``push/fold`` or ``no-limit``."""
        return "limit" if self.limit else "push/fold" if self.rules == "pushfold" else "no-limit"

    @property
    def title(self) -> str:
        """Return a title such as ``no-limit hold'em 5/10, ante 1`` or ``push/fold hold'em 50/100, 1-10 big
        blinds``.
        """
        ante = f", ante {self.ante}" if self.ante else ""
        straddle = f", straddle {self.straddle}" if self.straddle else ""
        depth = f", {'-'.join(map(str, sorted(set(self.depth))))} big blinds" if self.depth else ""
        return f"{self.kind} hold'em {self.small_blind}/{self.big_blind}{ante}{straddle}{depth}"


class OpenFormat(TableFormat):
    """What an open table also needs from its format. ``paused``: no hand is dealt. ``open_seating``: players
    sit down, sit out and leave between hands; otherwise all start together, and the table acts for players
    who leave.
    """

    open_seating: bool = False
    hand: int
    stakes: Stakes
    paused: bool

    @abstractmethod
    def game_and_deals(self, players: int, stakes: Stakes) -> tuple[Game, Deals]:
        """Return the game for so many players at these stakes, and its deals."""
        ...

    def sit_in(self, seat: int) -> None:
        """Take part from the next hand on, with a full stack if the player has none."""
        return

    def sit_out(self, seat: int, *, at_blind: bool = False) -> None:
        """Take no part from the next hand on, or from the seat's next big blind; the chips stay until
        ``sit_in`` or ``leave``.
        """
        return

    def leave(self, seat: int) -> None:
        """Take no part from the next hand on; the chips go with the player."""
        return

    def stakes_of(self, raised: LevelRaised) -> Stakes:
        """Return the stakes of the hands after the event."""
        return self.stakes

    def is_sitting_out(self, seat: int) -> bool:
        """Return whether the seat is not dealt in, although it may have a holder."""
        return False

    def is_sitting_in(self, seat: int) -> bool:
        """Return whether the seat takes part and has not asked to sit out."""
        return True
