"""The phases of a table, and the steps between them, as data."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from typing import Final


class Phase(enum.Enum):
    """A phase of a table."""

    #: Players arrive; no hand of the match has been dealt.
    GATHERING = "gathering"
    #: Hands are dealt, or will be once enough players are present.
    PLAYING = "playing"
    #: The match is over; its result is displayed for a while.
    RESULT = "result"
    CLOSED = "closed"


class Step(enum.Enum):
    """A step from one phase to another."""

    BEGIN = "the match begins"
    FINISH = "the match is over"
    REPEAT = "the next match of the series"
    CLOSE = "the table closes"


#: A step that a phase does not list is ignored: see ``TableActor.step``.
PHASES: Final[Mapping[tuple[Phase, Step], Phase]] = {
    (Phase.GATHERING, Step.BEGIN): Phase.PLAYING,
    (Phase.PLAYING, Step.FINISH): Phase.RESULT,
    (Phase.RESULT, Step.REPEAT): Phase.GATHERING,
    (Phase.GATHERING, Step.CLOSE): Phase.CLOSED,
    (Phase.PLAYING, Step.CLOSE): Phase.CLOSED,
    (Phase.RESULT, Step.CLOSE): Phase.CLOSED,
}
