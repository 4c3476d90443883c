"""Visitors of the pages who have a cookie: who they are, their websocket, and the hands they played."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Final, NamedTuple

from websockets.asyncio.client import connect
from websockets.typing import Subprotocol

from dealer.deck import SEED_BYTES, commitment
from dealer.rules.cards import CARD_TEXTS
from dealer.rules.events import Event
from dealer.rules.games import holdem
from dealer.rules.hand import HandState
from protocol.codec import JSON
from server.storage.hand_store import TableRecorder
from server.web.identity import Identities, load_secret
from tests.support.houses.http_client import Browser, Place
from tests.support.houses.people import Remote

GAME: Final = holdem(3, 5, 10, stack=300)
BIG_BLIND: Final = 10
SEED: Final = bytes(SEED_BYTES)
#: Cards as they stand in any of our formats, alone or several in a row.
CARDS = re.compile(r"(?<![A-Za-z0-9])(?:[2-9TJQKA][cdhs])+(?![A-Za-z0-9])")


async def visit(place: Place) -> tuple[Browser, str]:
    """Somebody with a cookie, and his identity."""
    browser = place.browser()
    await browser.get("/")
    return browser, Identities(load_secret(place.data)).identity(browser.cookie)


def table(place: Place, name: str = "table-1") -> TableRecorder:
    """A table that is recorded."""
    return place.archive.open_table(name, mode="cash", game=GAME, seats=3, commitment=commitment(SEED))


@asynccontextmanager
async def socket(browser: Browser, path: str = "/ws", **headers: str) -> AsyncIterator[Remote]:
    """A websocket of a page that this browser shows."""
    sent = {"Origin": f"http://127.0.0.1:{browser.port}", "Cookie": browser.cookie, **headers}
    async with connect(
        f"ws://127.0.0.1:{browser.port}{path}",
        subprotocols=[Subprotocol(JSON.subprotocol)],
        additional_headers=[(name, value) for name, value in sent.items() if value],
        compression=None,
    ) as opened:
        yield Remote(opened, JSON)


class Kept(NamedTuple):
    """A hand in the archive, and who played it: the browsers by seat."""

    hand: HandState
    recorder: TableRecorder
    owners: dict[int, Browser]

    @property
    def id(self) -> str:
        return f"{self.recorder.run}.{self.hand.number}"


async def keep(
    place: Place,
    hand: HandState,
    name: str = "table-1",
    names: list[str] | None = None,
    events: Sequence[Event] | None = None,
) -> Kept:
    """Keep a hand that people with cookies played, but for the last seat, which a bot had."""
    players = hand.game.players
    identities = Identities(load_secret(place.data))
    owners: dict[int, Browser] = {}
    for seat in range(players - 1):
        owners[seat] = place.browser()
        await owners[seat].get("/")
    recorder = place.archive.open_table(
        name, mode="cash", game=hand.game, seats=players, commitment=commitment(SEED)
    )
    shown = names or [f"player-{seat}" for seat in range(players)]
    seated = [
        (shown[seat], identities.identity(owners[seat].cookie) if seat in owners else "")
        for seat in range(players)
    ]
    recorder.begin(hand.game, seated)
    recorder.record_hand(hand.events if events is None else events)
    return Kept(hand, recorder, owners)


def cards_in(text: str) -> set[str]:
    """All cards that a text names."""
    found = [match[i : i + 2] for match in CARDS.findall(text) for i in range(0, len(match), 2)]
    return set(found) & set(CARD_TEXTS)
