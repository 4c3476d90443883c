"""The matches with an ACPC program, as data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Final, Literal

from dealer.rules.games import Game, holdem, load_game

#: The scenario that all others depend on.
ACPC_BASE: Final = "plays"
#: The scenarios of --quick: those that find the most faults in few turns.
ACPC_QUICK: Final = frozenset({ACPC_BASE, "all-in", "split-line", "cut-off", "ten-players", "short-stacks"})


@dataclass(frozen=True)
class AcpcScenario:
    """A match of ``hands`` hands that tests one check; ``id`` is that of the check.

    ``game``: None for the program's own game. ``seat``: the program's; -1 is the last. ``words``: the scripts
    of the other players, in turn, as in ``server.check.scenarios``. ``sending``: lines one at a time, or
    joined with the next line if they need no answer, or in pieces. ``first`` is added to every hand number.
    ``before``: the number of actions before the program is shown anything. ``cut``: the number of answers
    after which the connection is closed. ``turns``: the number of turns of a program that always calls.
    """

    #: Each scenario has a process of its own.
    new_process: ClassVar = True
    id: str
    game: Game | None = None
    hands: int = 4
    seat: int = 0
    words: Sequence[str] = ("ccr",)
    sending: Literal["lines", "joined", "pieces"] = "lines"
    first: int = 0
    before: int = 0
    cut: int = 0
    turns: int = 15


_TEN: Final = holdem(10, 50, 100, stack=20_000, rules="acpc")
_SIX: Final = load_game("holdem.nolimit.6p")

#: In the order of play.
ACPC_SCENARIOS: Final[tuple[AcpcScenario, ...]] = (
    AcpcScenario(ACPC_BASE, hands=6, turns=28),
    AcpcScenario("last-seat", seat=-1, words=("rcc",), turns=19),
    AcpcScenario("all-in", words=("a", "ca"), turns=6),
    AcpcScenario("one-segment", words=("crc",), sending="joined", turns=19),
    AcpcScenario("split-line", words=("crc",), sending="pieces", hands=2, turns=10),
    AcpcScenario("large-hands", first=4_294_967_200, hands=3, turns=14),
    AcpcScenario("mid-hand", before=3, hands=3, turns=12),
    AcpcScenario("cut-off", cut=2, turns=2),
    AcpcScenario("limit", load_game("holdem.limit.2p.reverse_blinds"), words=("crr",), turns=21),
    AcpcScenario("no-limit", load_game("holdem.nolimit.2p.reverse_blinds"), words=("rcc",), seat=-1,
                 turns=19),
    AcpcScenario("three-players", load_game("holdem.limit.3p"), hands=6, seat=1, words=("crf", "rc"),
                 turns=35),
    AcpcScenario("six-players", _SIX, hands=6, seat=3, words=("fcc", "rc", "f", "c"), turns=28),
    AcpcScenario("ten-players", _TEN, hands=3, seat=9, words=("f", "cc", "rcf", "c"), turns=13),
    AcpcScenario("short-stacks", load_game("custom.nolimit.4p.uneven"), seat=2, words=("ca", "rc", "c")),
    AcpcScenario("one-card", load_game("kuhn.limit.3p"), hands=6, seat=1, words=("cr", "rc"), turns=8),
    AcpcScenario("one-card", load_game("leduc.limit.2p"), hands=6, words=("cr",)),
)  # fmt: skip
