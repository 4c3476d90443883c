"""Downloads of a hand, with the cards that the viewer may see."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Final

import msgspec
from starlette.responses import Response

from dealer.errors import RecordError
from dealer.records.hands import HandMetadata, HandRecord
from dealer.records.ohh import write_ohh
from dealer.records.phh import phh_hand
from dealer.records.sentences import hand_sentences
from server.web.replay import ReplayHand, masked, told_hand
from server.web.responses import HttpError, attachment

#: Media types by suffix.
FORMATS: Final = {
    "phh": "application/toml",
    "txt": "text/plain",
    "json": "application/json",
    "ohh": "application/json",
}


def split_format(text: str) -> tuple[str, str]:
    """Split a requested name into a hand id and a format (empty if none is requested)."""
    name, _, suffix = text.rpartition(".")
    return (name, suffix) if suffix in FORMATS else (text, "")


async def export_response(hand: ReplayHand, suffix: str) -> Response:
    """Return the hand as a file. Raises ``HttpError`` (``not_found``) for a format that does not support its
    game.
    """
    if suffix == "json":
        text = msgspec.json.encode(await told_hand(hand)).decode()
        return attachment(f"{hand.id}.json", text, FORMATS[suffix])
    try:
        return attachment(f"{hand.id}.{suffix}", _text(hand, suffix), FORMATS[suffix])
    except RecordError as error:
        raise HttpError(404, "not_found", str(error)) from None


def _text(hand: ReplayHand, suffix: str) -> str:
    events = masked(hand)
    if suffix == "txt":
        return hand_sentences(f"Hand {hand.id}", events, hand.game, hand.names)
    if suffix == "phh":
        return phh_hand(1, events, hand.game, hand.names, table=hand.table)
    meta = HandMetadata(
        table=hand.table,
        time=datetime.fromtimestamp(hand.at / 1000, UTC) if hand.at else None,
        tournament=hand.match if hand.mode == "tournament" else "",
        id=hand.id,
        hero=hand.own,
    )
    return "".join(write_ohh([HandRecord(hand.game, events, dict(enumerate(hand.names)), meta)]))
