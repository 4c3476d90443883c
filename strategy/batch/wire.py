"""The binary frames of ``pokerd.v1.batch``: the one description of their fields.

The compiled loops (``strategy.batch.service``) take the places from it, and so does ``docs/batch.md``.
Everything is little-endian, and every part is a multiple of 8 bytes long, so that a frame is read in place.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np

from protocol.batch import VERSION

#: The byte of a card that is not known, or not dealt.
UNKNOWN: Final = 255
#: Most chips at a table: the street total of an action has 24 bits.
MAX_CHIPS: Final = 2**24 - 1
#: Most actions in the history of a row, so that no frame is larger than the server may owe a client.
MAX_HISTORY: Final = 128

#: Flags of a server's frame: the policy acted because time was over; there are no more turns.
FORCED, LAST = 1, 2
#: Codes of refused rows, by number.
REFUSALS: Final = {1: "illegal_action", 2: "unknown_table", 3: "stale_turn"}
ILLEGAL, NO_TABLE, STALE = REFUSALS


class Field(NamedTuple):
    """A field: ``size`` numbers of numpy's type ``form``; more than one only in rows."""

    name: str
    form: str
    meaning: str
    size: int = 1


HEADER_FIELDS: Final = (
    Field("version", "u2", "1"),
    Field("flags", "u2", "1: time was over and the policy acted; 2: there are no more turns"),
    Field("frame", "u4", "number of the frame, from 0"),
    Field("over", "u4", "rows of hands that ended, which come first"),
    Field("turns", "u4", "rows of turns, which follow"),
    Field("refused", "u4", "refused rows of your last answer, which come last"),
    Field("time_ms", "u4", "left for the turn that was asked first"),
)
REPLY_FIELDS: Final = (
    Field("version", "u2", "1"),
    Field("zero", "u2", "0"),
    Field("frame", "u4", "number of the frame that is answered"),
)
ANSWER_FIELDS: Final = (
    Field("table", "u2", "the table"),
    Field("action", "u1", "0: fold, 1: check or call, 2: raise"),
    Field("zero", "u1", "0"),
    Field("to", "u4", "for a raise: your total of the street after it; in limit games any number"),
)
REFUSAL_FIELDS: Final = (
    Field("row", "u2", "which row of the answer, from 0"),
    Field("table", "u2", "its table"),
    Field("code", "u2", ", ".join(f"{number}: `{code}`" for number, code in REFUSALS.items())),
    Field("zero", "u2", "0"),
)


def row_fields(players: int, history: int) -> tuple[Field, ...]:
    """Return the fields of a row, of a turn or of a hand that ended."""
    return (
        Field("table", "u2", "from 0"),
        Field("position", "u1", "your position; seats move on by one position each hand"),
        Field("street", "u1", "0 to 3"),
        Field("hand", "u4", "number of the hand at this table, from 0"),
        Field("value", "f8", "hand that ended: chips you won or lost; turn: 0"),
        Field("pot", "u4", "all chips paid in this hand"),
        Field("call", "u4", "chips a call costs; 0: a check, and you may not fold"),
        Field("min_raise", "u4", "least you may raise to; 0: no raise"),
        Field("max_raise", "u4", "most you may raise to"),
        Field("bet", "u4", "street total of who has called"),
        Field("actions", "u2", "actions in this hand"),
        Field("answered", "u2", "how many of them were yours"),
        Field("folded", "u2", "a bit for each position that has folded"),
        Field("all_in", "u2", "a bit for each position that is all-in"),
        Field("own", "u1", "your cards", 2),
        Field("board", "u1", "the board; 255: not dealt", 5),
        Field("over", "u1", "1: a hand that ended; 0: a turn"),
        Field("stacks", "u4", "chips behind, by position", players),
        Field("bets", "u4", "chips paid on this street, antes excepted, by position", players),
        Field("paid", "u4", "chips paid in this hand, by position", players),
        Field("shown", "u1", "cards shown down, two by position; 255: not shown", 2 * players),
        Field("history", "u4", "the last actions, oldest first: see below", history),
    )


def _packed(fields: tuple[Field, ...], multiple: int) -> np.dtype[Any]:
    """Return the type of a part, each field at a multiple of its numbers' size (the first one is even)."""
    offsets, end = [], 0
    for field in fields:
        number = int(field.form[1])
        end += -end % number
        offsets.append(end)
        end += number * field.size
    formats = [(f"<{field.form}", (field.size,)) if field.size > 1 else f"<{field.form}" for field in fields]
    return np.dtype(
        {
            "names": [field.name for field in fields],
            "formats": formats,
            "offsets": offsets,
            "itemsize": end + -end % multiple,
        }
    )


HEADER: Final = _packed(HEADER_FIELDS, 8)
REPLY: Final = _packed(REPLY_FIELDS, 8)
ANSWER: Final = _packed(ANSWER_FIELDS, 8)
REFUSAL: Final = _packed(REFUSAL_FIELDS, 8)


def row_type(players: int, history: int) -> np.dtype[Any]:
    """Return the type of a row."""
    return _packed(row_fields(players, history), 8)


class ServerFrame(NamedTuple):
    """A server's frame in parts, which share its memory."""

    header: np.void
    over: np.ndarray[Any, np.dtype[Any]]
    turns: np.ndarray[Any, np.dtype[Any]]
    refused: np.ndarray[Any, np.dtype[Any]]


def read_frame(frame: bytes, row: np.dtype[Any]) -> ServerFrame:
    """Return the parts of a server's frame."""
    header = np.frombuffer(frame, HEADER, 1)[0]
    over, turns = int(header["over"]), int(header["turns"])
    rows = np.frombuffer(frame, row, over + turns, HEADER.itemsize)
    refused = np.frombuffer(frame, REFUSAL, int(header["refused"]), HEADER.itemsize + rows.nbytes)
    return ServerFrame(header, rows[:over], rows[over:], refused)


def answer_frame(frame: int, tables: Any, actions: Any, to: Any) -> bytes:
    """Return the answer to a frame: at each of these tables, int[n], an action and, for a raise, a total."""
    reply = np.zeros(1, REPLY)
    reply["version"], reply["frame"] = VERSION, frame
    rows = np.zeros(len(tables), ANSWER)
    rows["table"], rows["action"], rows["to"] = tables, actions, to
    return reply.tobytes() + rows.tobytes()
