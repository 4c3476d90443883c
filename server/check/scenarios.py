"""The scenarios as data: which game, against whom, how the server encodes messages, and what goes wrong."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

from dealer.deck import Deal, SecureDeals, parse_deal
from dealer.formats.cash import Cash
from dealer.formats.fixed import FixedStacks
from dealer.formats.format import Deals, Stakes, TableFormat
from dealer.formats.tournament import Level, Tournament
from dealer.rules.games import Game, holdem, load_game
from dealer.table import Clock, Table
from server.check.wire_variants import PLAIN, WireVariant

#: The scenario that all others depend on.
BASE: Final = "plays"
#: The seed of the decks: the same cards in every run make faults reproducible.
SEED: Final = b"pokerd check-bot: the same cards"


class _FixedDeals:
    """Deals the same known cards in every hand."""

    def __init__(self, text: str, game: Game) -> None:
        self._deal = parse_deal(text, game)

    def deal(self, hand: int) -> Deal:
        return self._deal

    def draw(self, hand: int, choices: int) -> int:
        return hand % choices


def _deals(cards: Mapping[int, str], game: Game) -> Deals:
    """Return known cards for the player counts in ``cards``, random ones for others."""
    text = cards.get(game.players)
    return _FixedDeals(text, game) if text else SecureDeals(SEED, 0, game)


def _fixed(game: Game | str, hands: int, cards: str = "", first: int = 0) -> TableFormat:
    game = load_game(game) if isinstance(game, str) else game
    play = FixedStacks(game, _deals({game.players: cards}, game), first + hands)
    play.hand = first
    return play


def _cash(seats: int, stakes: Stakes, hands: int = 0, cards: Mapping[int, str] | None = None) -> TableFormat:
    return Cash(seats, stakes, partial(_deals, cards or {}), hands=hands, all_seated=hands > 0)


def _tournament(
    seats: int, stack: int, levels: Sequence[Level], cards: Mapping[int, str] | None = None
) -> TableFormat:
    return Tournament(seats, levels, stack, partial(_deals, cards or {}))


@dataclass(frozen=True)
class TableSetup:
    """A table. ``make_format`` creates its format; ``seat`` is the program's.

    ``others`` are the scripts of the other seats, each repeated at its end: ``c`` checks or calls, ``r``
    makes the smallest raise, ``a`` the largest, ``f`` folds; illegal actions become calls. ``sequence`` is
    the number of the table's first event, ``pause`` the seconds between hands. An ``open`` table is an open
    table that runs for ``hands`` hands.
    """

    make_format: Callable[[], TableFormat]
    seat: int
    others: Sequence[str]
    names: Sequence[str] = ()
    max_missed_turns: int = 3
    pause: float = 0.0
    sequence: int = 0
    open: bool = False
    hands: int = 0

    def make_table(self, seconds: float) -> Table:
        """Return a table with ``seconds`` for each decision."""
        clock = Clock(seconds, 0.0)
        seats = len(self.others) + 1
        table = Table(
            self.make_format(), seats, clock, max_missed_turns=self.max_missed_turns, pause=self.pause
        )
        table.seq = self.sequence
        return table


@dataclass(frozen=True)
class Scenario:
    """A scenario that tests one check; ``id`` is that of the check.

    ``setup`` is played at ``tables`` tables at once (at most as many as the program takes), ``rounds`` times.
    ``disruptions`` maps the number of an act of the program to what happens when it arrives. ``new_process``:
    the scenario needs a new process. ``ending``: how the server ends the scenario. ``after``: the scenario
    that must have been passed before this one is meaningful. ``turns``: the number of turns per match of a
    program that always calls.
    """

    id: str
    setup: TableSetup | None
    variant: WireVariant = PLAIN
    disruptions: Mapping[int, str] | None = None
    tables: int = 1
    rounds: int = 1
    new_process: bool = False
    ending: str = ""
    after: str = BASE
    turns: int = 9


def _match(
    game: Game | str,
    seat: int,
    *others: str,
    hands: int = 2,
    cards: str = "",
    first: int = 0,
    sequence: int = 0,
) -> TableSetup:
    return TableSetup(partial(_fixed, game, hands, cards, first), seat, others, sequence=sequence)


_LIMIT: Final = "holdem.limit.2p.reverse_blinds"
_NOLIMIT: Final = "holdem.nolimit.2p.reverse_blinds"

_TEN: Final = TableSetup(
    partial(_fixed, holdem(10, 50, 100, stack=20_000, rules="acpc"), 2),
    9,
    ("c", "crc", "fc", "c", "cf", "rc", "c", "fcc", "c"),
    names=("Zoë", "Žižka", "Ольга", "עדה", "李 雷", "नीला", "🂡 ace", "O'Neil", "a", "you"),
)
#: Before the flop its only raise is all-in: it has 150 chips, and the big blind is 100.
_ONE_RAISE: Final = holdem(2, 50, 100, stack=(150, 20_000), rules="acpc")
_LARGE: Final = holdem(2, 50, 100, stack=2**31 - 1, rules="acpc")
#: The board plays: the players who stay split the pot, to which a folded player gave 5 chips.
_SHARED: Final = "2c3c|2d3d|2h3h/AsKsQs/Js/Ts"
#: All-in from the big blind with the worse hand.
_LOSES_TWO: Final = {2: "Ah2c|KdKc/KsQs7d/3h/4d"}
_BROKE: Final = TableSetup(partial(_cash, 2, Stakes(5, 10, stack=10), 4, _LOSES_TWO), 1, ("c",))
_LOSES_THREE: Final = {3: "AhAc|3c2d|QhJd/KsQs7d/8h/Td"}
_RISING: Final = (Level(5, 10, 0, 2), Level(10, 20, 1, 2), Level(20, 40, 5, 10))
_OPEN: Final = TableSetup(partial(_cash, 4, Stakes(5, 10)), -1, ("cr", "c"), open=True, hands=6)

_SHORT: Final = _match(_NOLIMIT, 0, "rcc")

#: In the order of play.
SCENARIOS: Final[tuple[Scenario, ...]] = (
    Scenario(BASE, _match(_LIMIT, 0, "ccr", hands=4), turns=18),
    Scenario("next-match", _match(_LIMIT, 1, "rcc"), rounds=2, turns=10),
    Scenario("no-limit", _match(_NOLIMIT, 1, "crcc", hands=4), turns=18),
    Scenario("three-seats", _match("holdem.limit.3p", 1, "cr", "rcf", hands=3), turns=15),
    Scenario("ten-seats", _TEN, turns=8),
    Scenario("side-pots", _match("custom.nolimit.4p.uneven", 3, "ca", "rcc", "c", hands=4), turns=17),
    Scenario("all-in", _match(_NOLIMIT, 0, "a", hands=1), turns=1),
    Scenario("one-raise", _match(_ONE_RAISE, 0, "c", hands=1), turns=4),
    Scenario("large-numbers", _match(_LARGE, 0, "rc", first=4_294_967_290, sequence=2**40), turns=10),
    Scenario("fractions", _match("holdem.limit.3p", 1, "f", "c", hands=1, cards=_SHARED),
             WireVariant(floats=True), turns=4),
    Scenario("refilled", _BROKE, turns=2),
    Scenario("fractions", _BROKE, WireVariant(halves=True), after="refilled", turns=2),
    Scenario("levels", TableSetup(partial(_tournament, 3, 120, _RISING), 0, ("ccccfcca", "cccccca")),
             turns=13),
    Scenario("eliminated",
             TableSetup(partial(_tournament, 3, 10, (Level(5, 10, 0, 1), Level(10, 20)), _LOSES_THREE),
                        2, ("f", "c")), turns=0),
    Scenario("unknown-fields", _SHORT, WireVariant(unknown_fields=True)),
    Scenario("unknown-types", _SHORT, WireVariant(unknown_types=True)),
    Scenario("defaults", _SHORT, WireVariant(defaults=True)),
    Scenario("order", _SHORT, WireVariant(reverse=True)),
    Scenario("spelling", _SHORT, WireVariant(spelling=True)),
    Scenario("arrays", _SHORT, WireVariant(alone=True)),
    Scenario("fragments", _SHORT, WireVariant(fragments=True)),
    Scenario("ping", _SHORT, WireVariant(pings=True)),
    Scenario("big-frame", _match(_LIMIT, 0, "c", hands=1), WireVariant(big=True), turns=4),
    Scenario("one-card", _match("leduc.limit.2p", 0, "cr", hands=2), turns=5),
    Scenario("one-card", _match("kuhn.limit.3p", 1, "cr", "rc", hands=3), turns=4),
    Scenario("many-tables", _match(_LIMIT, 1, "crc", hands=3), tables=8, turns=13),
    Scenario("reset", _match(_NOLIMIT, 1, "crcrc", hands=6), rounds=2, turns=30),
    Scenario("late", _match(_NOLIMIT, 0, "ccr", hands=3), disruptions={2: "late"}, turns=14),
    Scenario("back", TableSetup(partial(_fixed, _LIMIT, 10), 0, ("c",), max_missed_turns=1, pause=0.05),
             disruptions={1: "late"}, turns=38),
    Scenario("resume", _match(_LIMIT, 0, "rc", hands=3), disruptions={2: "drop"}, turns=16),
    Scenario("resume-later", _match("holdem.limit.3p", 0, "rc", "c", hands=4), disruptions={2: "break"},
             turns=23),
    Scenario("restart", _match("holdem.limit.3p", 0, "rc", "c"), disruptions={2: "restart"}, turns=12),
    Scenario("goodbye", None, ending="goodbye", turns=0),
    Scenario("company", _OPEN, disruptions={2: "leaves", 4: "comes"}, new_process=True, ending="goodbye",
             turns=28),
    Scenario("shutdown", _match(_NOLIMIT, 0, "c", hands=10), disruptions={2: "shutdown"}, new_process=True,
             ending="gone", turns=2),
    Scenario("replaced", _match(_NOLIMIT, 0, "c", hands=10), disruptions={2: "replace"}, new_process=True,
             ending="gone", turns=2),
    Scenario("turned-away", None, new_process=True, ending="turned away", turns=0),
)  # fmt: skip

#: The scenarios of --quick: those that find the most faults in few turns.
QUICK: Final = frozenset(
    {
        *(BASE, "next-match", "no-limit", "side-pots", "all-in", "one-raise", "fractions", "refilled"),
        *("eliminated", "unknown-fields", "unknown-types", "arrays", "big-frame", "resume", "goodbye"),
        *("shutdown", "replaced", "turned-away"),
    }
)
