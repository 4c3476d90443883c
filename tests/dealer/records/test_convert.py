"""Hands go from every format to every other one and come back, or it is said why not."""

from __future__ import annotations

import io
import json
import random
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dealer.deck import parse_deal, secure_deals
from dealer.errors import RecordError
from dealer.formats.tournament import Level, Tournament
from dealer.records.convert import FORMATS, convert, find_format
from dealer.records.hands import HandMetadata, HandRecord
from dealer.rules.actions import CALL, FOLD, raise_to
from dealer.rules.games import Game, holdem, load_game
from dealer.rules.hand import HandState
from tests.dealer.records.played import random_action
from tests.dealer.records.tables import normal, random_records
from tests.dealer.records.texts import HOLDEM, LOGS, lines, read, some_of, written

NAMES = {seat: f"p{seat}" for seat in range(10)}


def code_of(records: Sequence[HandRecord], name: str) -> str:
    with pytest.raises(RecordError) as error:
        written(records, name)
    return error.value.code


# There and back again.


@pytest.mark.parametrize("name", ["phhs", "ohh", "pokerstars", "journal"])
def test_random_hands_of_all_tables_come_back(name: str) -> None:
    told = refused = 0
    for record in random_records(random.Random(name), 400):
        try:
            text = written([record], name)
        except RecordError as error:
            # What only the acpc rules do: a call that gives chips back, a pot split into parts of a chip.
            refused += (error.code, record.game.rules) == (f"not_in_{name}", "acpc")
            continue
        acpc_text = name == "pokerstars" and record.game.rules == "acpc"
        (back,) = read(text, name, record.game if acpc_text else None)
        assert normal(back) == normal(record)
        if name == "journal":
            assert back.events == record.events
        else:
            assert back.meta.tournament == record.meta.tournament
            assert back.meta.table == record.meta.table
            assert written([back], name).splitlines()[1:] == text.splitlines()[1:]
        told += 1
    assert told > 350
    assert refused == 400 - told


@pytest.mark.parametrize("path", HOLDEM, ids=lambda path: path.stem)
def test_logs_of_the_reference_dealer_in_the_text_of_pokerstars(path: Path) -> None:
    """The rules must be named; and hands whose pots were split into parts of a cent cannot be told."""
    log = some_of(read(path.read_text("ascii"), "acpc"))
    whole = [
        record for record in log if all(float(100 * chips).is_integer() for chips in record.ended.stacks)
    ]
    text = written(whole, "pokerstars")
    back = read(text, "pokerstars", log[0].game)

    assert lines(written(back, "acpc")) == lines(written(whole, "acpc"))
    for record in log:
        if record not in whole:
            assert code_of([record], "pokerstars") == "not_in_pokerstars"


@pytest.mark.parametrize(
    ("players", "share"), [(2, "$12.50"), (3, None), (4, "$11.25")], ids=["halves", "thirds", "quarters"]
)
def test_a_chip_that_is_split_is_told_in_cents(players: int, share: str | None) -> None:
    """Five chips of a player who folded, for so many who all play the board."""
    game = holdem(players + 1, 5, 10, stack=100, rules="acpc")
    deal = parse_deal(
        "|".join(["2c3c", "2d3d", "2h3h", "2s3s", "4c4d"][: players + 1]) + "/AsKsQs/Js/Ts", game
    )
    hand = HandState(game, deal)
    while not hand.over:
        hand.act(FOLD if hand.to_act == 0 and hand.legal().fold else CALL)
    record = HandRecord(game, hand.events, dict(enumerate("abcde")), HandMetadata(currency="USD"))

    assert code_of([record._replace(meta=HandMetadata(tournament="7"))], "pokerstars") == "not_in_pokerstars"
    if share is None:
        assert code_of([record], "pokerstars") == "not_in_pokerstars"
        return
    text = written([record], "pokerstars")
    (back,) = read(text, "pokerstars", game)
    assert text.count(f"collected {share} from pot") == players
    assert normal(back) == normal(record)


@pytest.mark.parametrize("path", sorted(set(LOGS) - set(HOLDEM)), ids=lambda path: path.stem)
def test_games_that_only_acpc_logs_and_journals_know(path: Path) -> None:
    log = path.read_text("ascii")
    records = read(log, "acpc")

    assert lines(written(read(written(records, "journal"), "journal"), "acpc")) == lines(log)
    for name in ("phhs", "ohh", "pokerstars"):
        assert code_of(records, name) == f"not_in_{name.removesuffix('s') if name == 'phhs' else name}"


def test_all_formats_one_after_the_other() -> None:
    records = [
        record._replace(names=NAMES)
        for record in random_records(random.Random(5), 600)
        if record.meta.table == "fixed-1" and record.game.rules == "standard" and record.game.players == 6
    ][:6]
    text, before = written(records, "journal"), "journal"
    for after in ("ohh", "pokerstars", "phhs", "acpc", "pokerstars", "ohh", "journal"):
        text = "".join(convert(io.StringIO(text), FORMATS[before], FORMATS[after]))
        before = after
    back = read(text, "journal")

    # An ACPC log knows no seats: the names are what is left of them.
    assert [[record.names[seat] for seat in record.started.seats] for record in back] == [
        [f"p{seat}" for seat in record.started.seats] for record in records
    ]
    assert [record.ended.values for record in back] == [record.ended.values for record in records]


# What is told beside the play.


def test_time_tournament_and_level_are_kept_where_a_format_has_them() -> None:
    game = holdem(3, 10, 20, ante=2, stack=900)
    moment = datetime(2026, 7, 1, 3, 4, 5, tzinfo=UTC)
    record = played(game, 3)._replace(meta=HandMetadata("t 1", "site", "", 1, moment, "99", 4))
    for name, site, level in (("phhs", "site", 4), ("ohh", "site", 0), ("pokerstars", "PokerStars", 4)):
        (back,) = read(written([record], name), name)
        assert back.meta == record.meta._replace(site=site, level=level)
    assert "2026/06/30 23:04:05 ET" in written([record], "pokerstars")
    assert "Tournament #99, $0+$0 USD Hold'em No Limit - Level IV (10/20)" in written([record], "pokerstars")


def test_an_unknown_time_stays_unknown() -> None:
    game = holdem(2, 5, 10, stack=100)
    record = played(game, 3)
    for name in ("phhs", "ohh", "pokerstars"):
        (back,) = read(written([record], name), name)
        assert back.meta.time is None


def test_cents_are_the_chips_of_a_hand_that_has_some() -> None:
    game = holdem(2, 5, 10, stack=(1000, 425))
    hand = HandState(game, parse_deal("5d5c|9hQd/8dAs8s/4h/6d", game), number=7)
    for action in (raise_to(25), CALL, CALL, raise_to(30), FOLD):
        hand.act(action)
    record = HandRecord(game, hand.events, NAMES, HandMetadata("t", "", "USD", 100))
    text = written([record], "pokerstars")

    assert "Hold'em No Limit ($0.05/$0.10 USD)" in text
    assert "raises $0.15 to $0.25" in text
    for name in ("phhs", "ohh", "pokerstars"):
        (back,) = read(written([record], name), name)
        assert normal(back) == normal(record)
        assert (back.meta.unit, back.meta.currency) == (100, "USD")


@pytest.mark.parametrize("name", ["phhs", "ohh", "pokerstars"])
def test_random_hands_with_cents_come_back(name: str) -> None:
    told = 0
    for record in random_records(random.Random(8), 150):
        if record.game.rules == "standard" and not record.meta.tournament:
            dollars = record._replace(meta=HandMetadata("t", "", "USD", 100))
            (back,) = read(written([dollars], name), name)
            # Where no amount happens to have cents, dollars are the chips.
            if back.meta.unit == 100:
                assert normal(back) == normal(record)
                told += 1
    assert told > 50


def test_options_name_the_currency_and_the_tournament_of_hands_that_tell_none() -> None:
    game = holdem(2, 5, 10, stack=100)
    journal = written([played(game, 3)], "journal")

    def told(**options: str) -> str:
        pieces = convert(io.StringIO(journal), FORMATS["journal"], FORMATS["pokerstars"], **options)  # type: ignore[arg-type]
        return "".join(pieces)

    assert "Hold'em No Limit (5/10) - " in told()
    assert "Hold'em No Limit ($5/$10 USD) - " in told(currency="USD")
    assert "Tournament #7, $0+$0 USD Hold'em No Limit - Level I (5/10) - " in told(tournament="7")


def test_progress_is_told_by_hand() -> None:
    counted: list[int] = []
    log = HOLDEM[0].read_text("ascii")
    for _ in convert(io.StringIO(log), FORMATS["acpc"], FORMATS["phhs"], progress=counted.append):
        pass
    assert counted == list(range(1, log.count("STATE:") + 1))


def test_text_comes_hand_by_hand() -> None:
    """Nothing is written late: each piece needs no more than the lines of its hand, and one read ahead."""

    class Counted(io.StringIO):
        lines = 0

        def readline(self, size: int = -1, /) -> str:  # type: ignore[override]
            self.lines += 1
            return super().readline(size)

    source = Counted(HOLDEM[0].read_text("ascii"))
    for number, _ in enumerate(convert(source, FORMATS["acpc"], FORMATS["journal"]), 1):
        assert source.lines <= number + 5


# What a log or a journal cannot tell.


def played(game: Game, seed: int, number: int = 0) -> HandRecord:
    """A random hand at a table where positions are seats."""
    source = random.Random(seed)
    hand = HandState(game, secure_deals(source.randbytes(32), 0, game).deal(number), number=number)
    while not hand.over:
        hand.act(random_action(hand, source))
    return HandRecord(game, hand.events, NAMES)


def hands_of(*games: Game) -> Iterator[HandRecord]:
    for number, game in enumerate(games):
        yield played(game, number, number)


def test_hands_that_are_not_in_an_acpc_log() -> None:
    game = holdem(3, 5, 10, stack=200)
    hand = HandState(game, parse_deal("5d5c|9hQd|2c2d/8dAs8s/4h/6d", game), stacks=(200, 150, 200))
    hand.act(FOLD)
    hand.act(FOLD)
    uneven = HandRecord(game, hand.events, NAMES)
    first, other = hands_of(game, holdem(3, 10, 20, stack=200))
    renamed = first._replace(names={0: "x", 1: "y", 2: "z"})
    late = first._replace(events=[first.started._replace(hand=2**32), *first.events[1:]])

    for records in ([uneven], [first, other], [first, renamed], [late]):
        assert code_of(records, "acpc") == "not_in_acpc"
    assert code_of([first._replace(names={0: "a b", 1: "y", 2: "z"})], "acpc") == "bad_name"


def test_hands_that_are_not_in_a_journal() -> None:
    first, other = hands_of(load_game("kuhn.limit.2p"), load_game("leduc.limit.2p"))
    assert code_of([first, other], "journal") == "not_in_journal"
    assert code_of([first, first._replace(names={0: "a", 1: "b"})], "journal") == "not_in_journal"


def test_a_phh_file_holds_one_hand() -> None:
    game = holdem(3, 5, 10, stack=200)
    first, second = hands_of(game, game)
    (back,) = read(written([first], "phh"), "phh")

    assert normal(back) == normal(first)
    assert code_of([first, second], "phh") == "not_in_phh"


@pytest.mark.parametrize(
    "name",
    ["", " x", "x ", "a\nb", "\x1b[31m", "a: folds", "*** SUMMARY ***", "Seat 3", "PokerStars 1", "x" * 1001],
)
def test_names_that_would_break_a_line_of_pokerstars(name: str) -> None:
    game = holdem(2, 5, 10, stack=200)
    (record,) = hands_of(game)
    assert code_of([record._replace(names={0: name, 1: "b"})], "pokerstars") == "not_in_pokerstars"
    assert code_of([record._replace(names={0: "b", 1: "b"})], "pokerstars") == "not_in_pokerstars"


#: What lines and their parts are made of.
FRAGMENTS = (
    *("a", "b", ":", "'", ",", "$5", "[Ah Kd]", "(5 in chips)", "(button)", "is sitting out", "folds"),
    *("*** SUMMARY ***", "PokerStars Hand #1:", "Seat 1", "Dealt to", "Uncalled bet (5) returned to"),
    *("collected 5 from pot", "calls 5", "shows [Ah Kd] (x)", "Total pot 5", "Board [Ah]", "and is all-in"),
    *("Hand #1", 'said, "x"', "has returned", "\n", "\r\t\ufeff\u2028\xa0"),
)
WORDS = st.lists(st.sampled_from(FRAGMENTS), min_size=1, max_size=4).map(" ".join) | st.text(min_size=1)


@settings(max_examples=400)
@given(
    names=st.tuples(WORDS, st.sampled_from(FRAGMENTS), st.just("c")),
    table=st.sampled_from(["", "t 1", "'", "x' 3-max Seat #1 is the button", "a\nb"]),
    currency=st.sampled_from(["", "USD", "CHF", "EUR", "usd"]),
    tournament=st.sampled_from(["", "7", "a#1", "(5/10)", "a b", "a,b"]),
    level=st.integers(0, 999),
    seed=st.integers(0, 50),
)
def test_what_is_written_for_pokerstars_is_read_back_whatever_the_names(
    names: tuple[str, ...], table: str, currency: str, tournament: str, level: int, seed: int
) -> None:
    meta = HandMetadata(table, currency="" if tournament else currency, tournament=tournament, level=level)
    record = played(holdem(3, 5, 10, stack=60), seed)
    record = record._replace(names=dict(enumerate(names)), meta=meta)
    try:
        text = written([record, record], "pokerstars")
    except RecordError:
        assert code_of([record], "pokerstars") == "not_in_pokerstars"
        return
    for back in read(text, "pokerstars"):
        assert normal(back) == normal(record)
        told = (level or 1) if tournament else 0
        assert back.meta == meta._replace(site="PokerStars", level=told)


def test_stacks_as_large_as_they_can_be_are_read_back_everywhere() -> None:
    game = holdem(10, 5, 10, ante=1)
    hand = HandState(game, secure_deals(bytes(32), 0, game).deal(0))
    while not hand.over:
        legal = hand.legal()
        hand.act(raise_to(legal.max_raise) if legal.max_raise else CALL)
    record = HandRecord(game, hand.events, {seat: f"p{seat}" for seat in range(10)})
    for name in FORMATS:
        (back,) = read(written([record], name), name)
        assert normal(back) == normal(record)


def test_unfinished_hands_are_refused_everywhere() -> None:
    game = holdem(2, 5, 10, stack=200)
    (record,) = hands_of(game)
    for name in set(FORMATS) - {"journal"}:
        for events in ([], record.events[:-1], record.events[1:]):
            assert code_of([record._replace(events=events)], name) == "not_a_hand"
    unfinished = written([record], "journal").replace(',["hand_ended"', ',["hand_begun"')
    with pytest.raises(RecordError):
        read(unfinished, "journal")


def test_positions_that_do_not_go_round_the_table() -> None:
    game = holdem(3, 5, 10, stack=60)
    hand = HandState(game, parse_deal("5d5c|9hQd|2c2d/8dAs8s/4h/6d", game), seats=(1, 0, 2))
    hand.act(FOLD)
    hand.act(FOLD)
    record = HandRecord(game, hand.events, NAMES)

    assert code_of([record], "ohh") == "not_in_ohh"
    assert code_of([record], "pokerstars") == "not_in_pokerstars"
    for name in ("phhs", "journal"):
        (back,) = read(written([record], name), name)
        assert normal(back) == normal(record)


# Finding formats.


def test_formats_are_found_by_suffix_or_name() -> None:
    for one in FORMATS.values():
        for suffix in one.suffixes:
            assert find_format(f"a/b.c{suffix.upper()}") is one
        assert find_format("-", one.name) is one
    for path, name in (("x", ""), ("x.csv", ""), ("-", ""), ("x.log", "csv")):
        with pytest.raises(RecordError) as error:
            find_format(path, name)
        assert error.value.code == "unknown_format"


def test_nothing_is_no_hand() -> None:
    for before in FORMATS.values():
        text = '{"format":"pokerd journal 1","game":"kuhn.limit.2p"}\n' if before.name == "journal" else "\n"
        for after in FORMATS.values():
            with pytest.raises(RecordError) as error:
                "".join(convert(io.StringIO(text), before, after))
            assert error.value.code == "no_hands"


def test_a_journal_of_competitions_is_read_without_its_definition() -> None:
    """The header names a game that is in ``games/``; tables of settings are told by what was posted."""
    game = load_game("holdem.limit.3p")
    records = list(hands_of(game, game))
    head, *rest = written(records, "journal").splitlines(keepends=True)
    facts = {key: value for key, value in json.loads(head).items() if key != "definition"}
    back = read(json.dumps(facts) + "\n" + "".join(rest), "journal")
    assert [record.game for record in back] == [game, game]

    for seed in range(30):
        session = list(tournament(random.Random(seed)))
        head, *rest = written(session, "journal").splitlines(keepends=True)
        facts = {key: value for key, value in json.loads(head).items() if key != "definition"}
        back = read(json.dumps(facts) + "\n" + "".join(rest), "journal")
        assert [record.events for record in back] == [record.events for record in session]


def tournament(source: random.Random) -> Iterator[HandRecord]:
    """A whole one, with blinds that rise every hand, so that many cannot be posted in full."""
    seed = source.randbytes(32)
    levels = [Level(5 * level, 10 * level, level, 1) for level in range(1, 60)]
    table = Tournament(6, levels, 300, lambda game: secure_deals(seed, 0, game), limit=source.random() < 0.5)
    while not table.over:
        hand = table.next_hand()
        assert hand is not None
        while not hand.over:
            hand.act(random_action(hand, source))
        table.finish_hand(hand)
        yield HandRecord(hand.game, hand.events, NAMES)
