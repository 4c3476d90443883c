"""The hands of a session, in the order in which they were played."""

from __future__ import annotations

import asyncio
from typing import Final

from pokerd_bot.hand import Hand
from protocol import messages

#: Hands kept for a client that has not asked for them; beyond that the oldest are dropped.
MAX_HANDS: Final = 4096


class PlayedHand:
    """A hand of a session. ``turn`` is the client's open decision. Once it is over, ``end`` is its result,
    and ``number`` and ``total`` are the hands and chips of the session, this one included. ``told`` are the
    actions of the last answer about it, None before the first; ``told_turn`` is the number of the turn
    that it asked for.
    """

    def __init__(self, hand: Hand) -> None:
        self.hand = hand
        self.turn: messages.YourTurn | None = None
        self.shown: messages.Showdown | None = None
        self.end: messages.HandEnd | None = None
        self.number = 0
        self.total = 0
        self.told: str | None = None
        self.told_turn = -1

    @property
    def is_ready(self) -> bool:
        """Whether it waits for the client, or is over."""
        return self.end is not None or self.turn is not None

    @property
    def position(self) -> int:
        """The client's position: 0 is the big blind, 1 the small blind and button."""
        return self.hand.seats.index(self.hand.match.seat)

    @property
    def winnings(self) -> int:
        """Chips that the client won or lost in a finished hand."""
        assert self.end is not None
        return int(self.end.net[self.position])


class Record:
    """The hands of a session that its client has not been told of to the end, and what else came from the
    server. ``news`` is set with every change.
    """

    def __init__(self) -> None:
        self.news = asyncio.Event()
        self.hands: list[PlayedHand] = []
        self.played = 0
        self.total = 0
        #: What the server refused, for the next answer.
        self.refusal = ""

    def add_hand(self, hand: Hand) -> None:
        """Add a hand that begins."""
        # The client may be in the middle of the first.
        if len(self.hands) >= MAX_HANDS:
            del self.hands[1]
        self.hands.append(PlayedHand(hand))

    def end_hand(self, shown: messages.Showdown | None, end: messages.HandEnd) -> None:
        """Add the result of the last hand."""
        played = self.hands[-1]
        played.turn, played.shown, played.end = None, shown, end
        self.played += 1
        self.total += played.winnings
        played.number, played.total = self.played, self.total
        self.news.set()

    def drop_unfinished(self) -> None:
        """Forget a hand whose end will never be told."""
        if self.hands and self.hands[-1].end is None:
            self.hands.pop()
        self.news.set()
