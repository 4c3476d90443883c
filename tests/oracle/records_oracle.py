"""Records of random hands read by PokerKit, which plays them by its own rules: the final stacks must be ours.

    python -m tests.oracle.records_oracle --hands 10000

Whole files are written, of the tables that a format and PokerKit's rules have in common:

``phhs``               two to ten players, limit and no-limit, antes, stacks from one chip to hundreds of big
                       blinds
``acpc``               the same without antes, and with the stacks of the game at the start of every hand: an
                       ACPC log tells neither
``pokerstars``         as ``phhs``, no-limit
``pokerstars_limit``   as ``phhs``, limit

99 of 100 hands in PHH files and ACPC logs end alike by PokerKit alone: by its own reader and its own rules.
What does not is read again with what is known to be missing, must end alike then, and is counted by what that
was:

``ante``, ``limit``, ``blind``
    its reader of the text of PokerStars has no pattern for antes and for the headers of limit games, and
    takes a blind that could not be paid in full for that of the game
``short_blind``, ``short_all_in``, ``odd_chips``
    its rulings that ``tests.oracle.pokerkit_oracle.Ruled`` corrects, where the rules are cited
"""

from __future__ import annotations

import argparse
import io
import re
import sys
import warnings
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from contextlib import redirect_stderr
from itertools import groupby
from operator import lt
from random import Random
from typing import ClassVar, NamedTuple

from pokerkit import FixedLimitTexasHoldem, HandHistory, NoLimitTexasHoldem, Poker, State, ValuesLike
from pokerkit.notation import ACPCProtocolParser, PokerStarsParser

from dealer.records.convert import FORMATS
from dealer.records.hands import HandRecord, holdem_order, stakes_of_game
from dealer.rules.games import Game
from tests.dealer.records.tables import Tables, random_records
from tests.oracle.pokerkit_oracle import Ruled


class Reading(NamedTuple):
    """How many hands were written, how many of them PokerKit alone ended alike, and how many more with what
    ``corrected`` says. ``unlike`` holds the text of each hand that did not end alike at all.
    """

    written: int
    alone: int
    corrected: Counter[str]
    unlike: list[str]

    @property
    def alike(self) -> int:
        """All hands that ended alike."""
        return self.alone + self.corrected.total()

    @property
    def ruled(self) -> int:
        """Those that needed a ruling of PokerKit corrected."""
        rulings = {"short_blind", "short_all_in", "odd_chips"}
        return sum(count for what, count in self.corrected.items() if rulings & {*what.split("+")})


class _RuledGame(Poker):
    """A game of PokerKit that is played with its rulings corrected."""

    def __call__(self, raw_starting_stacks: ValuesLike, player_count: int) -> State:
        return Ruled(
            self.automations,
            self.deck,
            self.hand_types,
            self.streets,
            self.betting_structure,
            self.ante_trimming_status,
            self.raw_antes,
            self.raw_blinds_or_straddles,
            self.bring_in,
            raw_starting_stacks,
            player_count,
            mode=self.mode,
        )


class _RuledNoLimit(_RuledGame, NoLimitTexasHoldem):
    pass


class _RuledLimit(_RuledGame, FixedLimitTexasHoldem):
    pass


class _RuledHistory(HandHistory):
    """PokerKit's history of a hand, of such a game."""

    game_types: ClassVar[dict[str, type[Poker]]] = {"NT": _RuledNoLimit, "FT": _RuledLimit}


# By this PokerKit finds how the history of a hand that it has read is called.
HandHistory.variants.update({_RuledNoLimit: "NT", _RuledLimit: "FT"})


class _Stars(PokerStarsParser):
    """PokerKit's reader with the patterns that it leaves out. The big blind is that of the header, and raises
    are to what they say, because what was posted may be less.
    """

    VARIANT = re.compile(r" (?P<variant>Hold'em (?:No )?Limit) ")
    VARIANTS: ClassVar[dict[str, str]] = {"Hold'em No Limit": "NT", "Hold'em Limit": "FT"}
    ANTE_POSTING = re.compile(r"(?P<player>.+): posts the ante \D?(?P<ante>[0-9.]+)")
    STAKES = re.compile(r" \((?P<low>[0-9]+)/(?P<high>[0-9]+)\)")
    RAISED_TO = re.compile(r": raises .* to (?P<to>[0-9]+)")

    def _parse(self, s: str, parse_value: Callable[[str], int]) -> HandHistory:
        variant = self._parse_variant(s)
        stakes = self.STAKES.search(s)
        assert stakes is not None
        low, high = int(stakes["low"]), int(stakes["high"])
        seats = self._parse_seats(s)
        stacks = self._parse_starting_stacks(s, parse_value)
        posted = self._parse_blinds_or_straddles(s, parse_value)
        around = sorted(stacks, key=seats.__getitem__)
        places = list(map(seats.__getitem__, around))
        players = self._get_ordered_players(s, self._parse_final_seat(s), posted, around, places)
        small = posted[players[0] if len(players) > 2 else players[-1]]
        ante = max(self._parse_antes(s, parse_value).values(), default=0)
        limit = variant == "FT"
        return HandHistory(
            variant=variant,
            ante_trimming_status=True,
            antes=[ante] * len(players),
            blinds_or_straddles=[small, low if limit else high, *[0] * (len(players) - 2)],
            min_bet=None if limit else high,
            small_bet=low if limit else None,
            big_bet=high if limit else None,
            starting_stacks=[stacks[player] for player in players],
            actions=self._parse_actions(s, parse_value, players),
        )

    def _get_completion_betting_or_raising_to_amount(
        self, bets: defaultdict[str, int], player: str, completion_betting_or_raising_amount: int, line: str
    ) -> int:
        raised = self.RAISED_TO.search(line)
        return int(raised["to"]) if raised else completion_betting_or_raising_amount


def _phhs(text: str, record: HandRecord) -> Iterable[HandHistory]:
    return HandHistory.loads_all(text)


def _acpc(text: str, record: HandRecord) -> Iterable[HandHistory]:
    return _acpc_parser(record.game, NoLimitTexasHoldem, FixedLimitTexasHoldem)(text, error_status=True)


def _acpc_ruled(text: str, record: HandRecord) -> Iterable[HandHistory]:
    return _acpc_parser(record.game, _RuledNoLimit, _RuledLimit)(text, error_status=True)


def _acpc_parser(
    game: Game, no_limit: type[NoLimitTexasHoldem], limit: type[FixedLimitTexasHoldem]
) -> ACPCProtocolParser:
    table = stakes_of_game(game)
    blinds = (table.small, table.big)
    theirs = (
        no_limit((), True, 0, blinds, table.big)
        if table.bets is None
        else limit((), True, 0, blinds, *table.bets)
    )
    stacks = [game.stacks[place] for place in holdem_order(game, "")]
    return ACPCProtocolParser(theirs, stacks)  # type: ignore[arg-type]


def _stars(text: str, record: HandRecord) -> Iterable[HandHistory]:
    return PokerStarsParser()(text, error_status=True)


def _stars_patched(text: str, record: HandRecord) -> Iterable[HandHistory]:
    return _Stars()(text, error_status=True)


def _lacking(record: HandRecord) -> Iterator[str]:
    """What is in the text of PokerStars and not in the patterns of PokerKit."""
    if record.game.ante:
        yield "ante"
    if record.game.limit:
        yield "limit"
    if any(map(lt, record.started.blinds, record.game.blinds)):
        yield "blind"


def _nothing(record: HandRecord) -> Iterator[str]:
    yield from ()


_Read = Callable[[str, HandRecord], Iterable[HandHistory]]


class _Reader(NamedTuple):
    """What is written of which tables; PokerKit's own way to read a hand; and the way to read it again, with
    what was ``lacking`` there.
    """

    format: str
    tables: Tables
    read: _Read
    again: _Read
    lacking: Callable[[HandRecord], Iterator[str]] = _nothing


_STANDARD = Tables(rules=("standard",))
READERS = {
    "phhs": _Reader("phhs", _STANDARD, _phhs, _phhs),
    "acpc": _Reader("acpc", _STANDARD._replace(kinds=("fixed",), antes=False), _acpc, _acpc_ruled),
    "pokerstars": _Reader("pokerstars", _STANDARD._replace(limit=0), _stars, _stars_patched, _lacking),
    "pokerstars_limit": _Reader("pokerstars", _STANDARD._replace(limit=1), _stars, _stars_patched, _lacking),
}


def read_by_pokerkit(name: str, hands: int, seed: int = 0) -> Reading:
    """Write so many random hands for one of ``READERS``, file by file, and have PokerKit read them."""
    reader = READERS[name]
    names = [f"p{seat}" for seat in range(10)]
    written = alone = 0
    corrected: Counter[str] = Counter()
    unlike = []
    with warnings.catch_warnings(), redirect_stderr(io.StringIO()):  # PokerKit prints what it raises
        warnings.simplefilter("error")
        # PokerKit does not know a field that it fills itself.
        warnings.filterwarnings("ignore", ".*'time_zone_abbreviation' is an unexpected field")
        for _, table in groupby(
            random_records(Random(seed), hands, names=names, tables=reader.tables), lambda one: id(one.game)
        ):
            records = list(table)
            # What may follow the last hand is the SCORE of a log.
            for record, text in zip(records, FORMATS[reader.format].write(records), strict=False):
                written += 1
                if _ended(reader.read, text, record)[0] == record.ended.stacks:
                    alone += 1
                elif needed := _needed(reader, text, record):
                    corrected["+".join(sorted(needed))] += 1
                else:
                    unlike.append(text)
    return Reading(written, alone, corrected, unlike)


def _needed(reader: _Reader, text: str, record: HandRecord) -> frozenset[str]:
    """What PokerKit needs to come to our stacks; nothing when it does not."""
    lacking = frozenset(reader.lacking(record))
    if lacking and _ended(reader.again, text, record)[0] == record.ended.stacks:
        return lacking
    stacks, used = _ended(reader.again, text, record, ruled=True)
    return lacking | used if stacks == record.ended.stacks and used else frozenset()


def _ended(
    read: _Read, text: str, record: HandRecord, *, ruled: bool = False
) -> tuple[tuple[int, ...] | None, frozenset[str]]:
    """The final stacks by position, None where PokerKit refuses the hand or does not come to its end; and the
    rulings that were corrected.
    """
    try:
        (history,) = read(text, record)
        state = list(_RuledHistory(**vars(history)) if ruled else history)[-1]
    except (ValueError, UserWarning):  # it warns of folds for nothing
        return None, frozenset()
    used = state.used if isinstance(state, Ruled) else frozenset()
    return None if state.status else tuple(state.stacks), used


def main() -> None:
    parser = argparse.ArgumentParser(description="Have PokerKit read our records of random hands.")
    parser.add_argument("--hands", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    for name in READERS:
        reading = read_by_pokerkit(name, options.hands, options.seed)
        by = ", ".join(f"{what} {count:,}" for what, count in reading.corrected.most_common())
        sys.stdout.write(f"{name}: {reading.written:,} written, {reading.alike:,} alike, ")
        sys.stdout.write(f"{reading.alone:,} by PokerKit alone; {by}\n")
        sys.stdout.write("".join(f"UNLIKE:\n{text}" for text in reading.unlike[:3]))
        sys.stdout.flush()


if __name__ == "__main__":
    main()
