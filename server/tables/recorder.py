"""Where an open table keeps what is played at it, and how it stands itself."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from dealer.rules.events import Event
from dealer.rules.games import Game
from protocol import messages

__all__ = ["Recorder", "MatchRecorder"]


class Recorder(Protocol):
    """Where finished hands go."""

    def hand(self, events: Sequence[Event]) -> None:
        """Take all events of one finished hand, from its ``HandStarted`` to its ``HandEnded``."""
        ...


class MatchRecorder(Recorder, Protocol):
    """The record of one match. ``number`` is that of the run."""

    number: int

    def begin(self, game: Game, seated: Sequence[tuple[str, str]]) -> None:
        """A hand of ``game`` starts; name and identity by seat, empty where there is none."""

    def cards_shown(self, hand: int, seat: int, cards: tuple[int, ...]) -> None:
        """Somebody showed cards of a hand that is over."""

    def rival_recorder(self, number: int = 0) -> MatchRecorder:
        """The record of another run with the same deals, of which nobody hears before it is closed: a new
        one, or that with this number.
        """
        ...

    def conclude(self, result: messages.ChallengeResult) -> messages.ChallengeResult:
        """How the challenge ended that was played here: the result with the names of both records in it."""
        ...

    def close(self, seed: bytes) -> None:
        """The match is over: its seed may be known."""

    def save_state(self, state: Callable[[], bytes]) -> None:
        """The table has changed: what ``state`` says is to be kept before anybody hears of it."""

    def append_step(self, state: Callable[[], bytes], line: bytes) -> None:
        """The hand goes on by what ``line`` says: that is to be kept instead of the whole state."""

    def release(self) -> None:
        """The table is left as it was kept last."""

    def forget(self) -> None:
        """The table is closed: nothing is to be taken up."""
