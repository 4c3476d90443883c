"""Chat at an open table, and cards that players show after a hand."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable

from dealer.rules.cards import CARD_TEXTS, parse_card
from dealer.rules.events import HandEnded, Shown, start_of
from protocol.errors import Refused
from protocol.people import CardsShown, ChatMessage, ShowCards
from server import view
from server.auth.text_rules import MAX_CHAT_LINES, is_plain_text
from server.storage.hand_store import TableRecorder
from server.tables.actor import TableActor
from server.tables.audience import broadcast
from server.tables.player import Player


class TableChat:
    """Chat and shown cards of a table. ``lines`` has the last ones, ``showed`` the cards shown since the last
    hand. ``record`` returns where shown cards are stored.
    """

    def __init__(self, table: TableActor, record: Callable[[], TableRecorder | None]) -> None:
        self.lines: deque[ChatMessage] = deque(maxlen=MAX_CHAT_LINES)
        self.showed: list[CardsShown] = []
        self._table = table
        self._record = record
        self._id = table.facts.table

    def say(self, player: Player, text: str) -> None:
        """Send a line of chat to all people. Raises ``Refused``."""
        table = self._table
        if not is_plain_text(text):
            raise Refused("bad_text", table=self._id)
        if not player.chat_limiter.spend(table.now()):
            raise Refused("too_fast", table=self._id)
        _, seat = player.seats.get(self._id, (table, -1))
        self._send(ChatMessage(self._id, seat, player.name, text, int(time.time() * 1000)))

    def announce(self, name: str, text: str) -> None:
        """Send a line of an administrator, who has checked it, to all people."""
        self._send(ChatMessage(self._id, -1, name, text, int(time.time() * 1000), organiser=True))

    def _send(self, line: ChatMessage) -> None:
        self.lines.append(line)
        broadcast(self._table.audience.people, [line])

    def show(self, seat: int, message: ShowCards) -> None:
        """Show hole cards of the hand that has just ended. Raises ``Refused``."""
        table = self._table
        last = table.progress.events[-1:]
        if not any(isinstance(event, HandEnded) and event.hand == message.hand for event in last):
            raise Refused("not_over", table=self._id)
        hidden = self._hidden(seat)
        wanted = tuple(dict.fromkeys(message.cards))
        if not wanted or len(wanted) < len(message.cards) or not hidden.issuperset(wanted):
            raise Refused("not_yours", table=self._id)
        cards = tuple(map(parse_card, wanted))
        showed = view.showed_message(self._id, message.hand, seat, cards)
        self.showed.append(showed)
        broadcast(table.audience.everybody, [showed])
        record = self._record()
        if record is not None:
            record.record_cards_shown(message.hand, seat, cards)

    def _hidden(self, seat: int) -> set[str]:
        """Return the player's hole cards of the last hand that nobody else has seen."""
        table = self._table
        start = start_of(table.progress.events)
        if table.visible_seat(seat) is None or seat not in start.seats:
            return set()
        own = {CARD_TEXTS[card] for card in start.hole[start.seats.index(seat)]}
        for event in table.progress.events:
            if isinstance(event, Shown):
                own -= {CARD_TEXTS[card] for shower, cards in event.hands if shower == seat for card in cards}
        return own - {card for showed in self.showed if showed.seat == seat for card in showed.cards}
