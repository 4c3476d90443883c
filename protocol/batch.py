"""The text messages of the subprotocol ``pokerd.v1.batch``; binary frames follow (``docs/batch.md``)."""

from __future__ import annotations

from typing import Annotated, Final

from msgspec import Meta

from protocol.base import Chips, Count, Message

#: Name of the subprotocol.
BATCH: Final = "pokerd.v1.batch"
#: Most tables of a connection.
MAX_TABLES: Final = 1024
#: Version of the layout of frames and their rows (``strategy.batch.wire``).
VERSION: Final = 1
#: Actions that a row's history holds, unless ``open`` says otherwise.
HISTORY: Final = 32


class Open(Message, frozen=True, tag="open"):
    """Open tables, after ``welcome``. ``game``: its name, or the text of a game file; ``opponents``: names
    for seats 1, 2, ..., or one for all; ``hands``: at all tables together, 0: no end; ``stacks``: by
    position, else the game's; ``version``: of the frames that the client reads.
    """

    game: Annotated[str, Meta(max_length=16_384)]
    opponents: Annotated[list[Annotated[str, Meta(max_length=64)]], Meta(min_length=1, max_length=9)]
    tables: Annotated[int, Meta(ge=1, le=MAX_TABLES)] = MAX_TABLES
    hands: Count = 0
    stacks: Annotated[list[Chips], Meta(max_length=10)] | None = None
    history: Annotated[int, Meta(ge=1, le=128)] = HISTORY
    seed: Annotated[int, Meta(ge=0, le=2**63 - 1)] | None = None
    records: bool = False
    version: Count = VERSION


class Opened(Message, frozen=True, tag="opened"):
    """Answer to ``open``; the first frame follows. ``row``: bytes of a row; ``game``: as a game file;
    ``names``: by seat; ``records``: name of the file of this connection's records.
    """

    version: int
    row: int
    tables: int
    history: int
    time_ms: int
    game: str
    names: list[str]
    records: str = ""
