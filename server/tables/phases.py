"""The life of a table: which phase follows which, as data."""

from __future__ import annotations

import enum
from typing import Final

__all__ = ["PHASES", "Phase", "Step"]


class Phase(enum.Enum):
    """Where a table stands."""

    #: Players arrive; no hand of the match has been dealt.
    GATHERING = "gathering"
    #: Hands are dealt, or will be once enough players are there.
    PLAYING = "playing"
    #: The match is over, and its result stays on the table for a while.
    RESULT = "result"
    CLOSED = "closed"


class Step(enum.Enum):
    """What leads from one phase to another."""

    BEGIN = "the match begins"
    FINISH = "the match is over"
    REPEAT = "the next match of the series"
    CLOSE = "the table closes"


#: A step that is not in the table of a phase leads nowhere: see ``TableActor.step``.
PHASES: Final[dict[tuple[Phase, Step], Phase]] = {
    (Phase.GATHERING, Step.BEGIN): Phase.PLAYING,
    (Phase.PLAYING, Step.FINISH): Phase.RESULT,
    (Phase.RESULT, Step.REPEAT): Phase.GATHERING,
    (Phase.GATHERING, Step.CLOSE): Phase.CLOSED,
    (Phase.PLAYING, Step.CLOSE): Phase.CLOSED,
    (Phase.RESULT, Step.CLOSE): Phase.CLOSED,
}
