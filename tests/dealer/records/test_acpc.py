import random
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dealer.errors import RecordError
from dealer.records.acpc import AcpcLog, Score, StateLine, log_header, number_text, parse_score, parse_state
from dealer.rules.events import Event
from dealer.rules.games import load_game
from dealer.rules.hand import HandState
from dealer.rules.notation import format_betting, parse_betting
from tests.dealer.records.played import all_kinds, random_hand

NAMES = tuple(f"p{seat}" for seat in range(10))


@pytest.mark.parametrize(
    ("value", "text"),
    [(0, "0"), (-10, "-10"), (2.5, "2.5"), (40000 / 3, "13333.333333"), (-7.0, "-7"), (100, "100"),
     (1e-7, "0"), (1200.0, "1200"), (-0.25, "-0.25"), (2147483647, "2147483647"), (1e-6, "0.000001")],
)  # fmt: skip
def test_numbers_have_six_decimals_at_most_and_no_needless_zeros(value: float, text: str) -> None:
    assert number_text(value) == text


def test_state_lines_of_all_kinds_of_hands_parse_back_and_replay() -> None:
    for hand in all_kinds(random.Random(1), each=30):
        line = AcpcLog(hand.game, NAMES).hand(hand.events)
        state = parse_state(line)

        assert state.text() == line
        assert state.hand == hand.number
        assert state.hole == hand.hole
        assert state.names == tuple(f"p{seat}" for seat in hand.seats)
        assert state.values == pytest.approx(hand.values, abs=1e-6)
        assert state.betting == format_betting(hand.betting)
        again = parse_betting(hand.game, state.betting, hand.betting.stacks)
        assert again.spent == hand.betting.spent
        assert again.folded == hand.betting.folded


def test_score_adds_up_by_seat() -> None:
    source = random.Random(2)
    game = load_game("holdem.nolimit.3p")
    log = AcpcLog(game, ("a", "b", "c"))
    totals = [0.0, 0.0, 0.0]
    for number in range(40):
        hand = random_hand(game, source, number)
        log.hand(hand.events)
        for seat, value in zip(hand.seats, hand.values, strict=True):
            totals[seat] += value
    score = log.score()

    assert score.totals == tuple(totals)
    assert score.names == ("a", "b", "c")
    assert parse_score(score.text()).text() == score.text()
    assert sum(score.totals) == pytest.approx(0, abs=1e-6)


def test_header_has_the_references_time_limits() -> None:
    assert log_header("m", "kuhn.limit.3p.game", 1000, 7) == (
        "# name/game/hands/seed m kuhn.limit.3p.game 1000 7\n"
        "#--t_response 600000\n#--t_hand 600000\n#--t_per_hand 7000\n"
    )


def test_an_unfinished_hand_is_refused_and_adds_nothing() -> None:
    hand = next(all_kinds(random.Random(3), each=1))
    log = AcpcLog(hand.game, NAMES[:4])
    refused: list[Sequence[Event]] = [[], hand.events[:-1], hand.events[1:]]
    for events in refused:
        with pytest.raises(RecordError) as error:
            log.hand(events)
        assert error.value.code == "not_a_hand"

    assert log.totals == [0, 0, 0, 0]


@pytest.mark.parametrize("name", ["", "a:b", "a|b", "a b", "a\nb", "a\tb"])
def test_names_that_would_break_a_line_are_refused(name: str) -> None:
    with pytest.raises(RecordError) as error:
        AcpcLog(load_game("leduc.limit.2p"), ("fine", name))

    assert error.value.code == "bad_name"


@pytest.mark.parametrize(
    "line",
    [
        "",
        "STATE",
        "SCORE:1|-1:a|b",
        "STATE:0:rf:Ah|Ks:1|-1",
        "STATE:0:rf:Ah|Ks:1|-1:a|b:c",
        "STATE:-1:rf:Ah|Ks:1|-1:a|b",
        "STATE:00:rf:Ah|Ks:1|-1:a|b",
        "STATE:x:rf:Ah|Ks:1|-1:a|b",
        "STATE:0:rx:Ah|Ks:1|-1:a|b",
        "STATE:0:cc/:Ah|Ks:1|-1:a|b",
        "STATE:0:rf:Ah|Kx:1|-1:a|b",
        "STATE:0:rf:Ah|Ks:1|-1|0:a|b",
        "STATE:0:rf:Ah|Ks:1|-1:a",
        "STATE:0:rf:Ah|Ks:1.50|-1:a|b",
        "STATE:0:rf:Ah|Ks:inf|-1:a|b",
        "STATE:0:rf:Ah|Ks:+1|-1:a|b",
        "STATE:0:rf:Ah|Ks:1_0|-1:a|b",
    ],
)
def test_lines_that_are_no_state(line: str) -> None:
    with pytest.raises(RecordError) as error:
        parse_state(line)

    assert error.value.code == "bad_state_line"


@pytest.mark.parametrize(
    "line", ["", "SCORE", "SCORE:1|-1", "SCORE:1|-1:a", "SCORE:1|x:a|b", "STATE:1|-1:a|b"]
)
def test_lines_that_are_no_score(line: str) -> None:
    with pytest.raises(RecordError) as error:
        parse_score(line)

    assert error.value.code == "bad_score_line"


@given(st.text(max_size=80))
def test_any_text_is_a_line_or_refused(text: str) -> None:
    for line in (text, f"STATE:{text}", f"STATE:0:rf:Ah|Ks:{text}"):
        try:
            state = parse_state(line)
        except RecordError:
            continue
        assert state.text() == line.removesuffix("\n") + "\n"


numbers = st.one_of(
    st.integers(-(10**9), 10**9), st.integers(-(10**9), 10**9).map(lambda millionths: millionths / 10**6)
)


@given(st.lists(numbers, min_size=2, max_size=10))
def test_every_score_parses_back(totals: list[float]) -> None:
    score = Score(tuple(totals), NAMES[: len(totals)])

    assert parse_score(score.text()).totals == pytest.approx(score.totals)
    assert parse_score(score.text()).text() == score.text()


def test_what_a_line_says_is_taken_apart() -> None:
    line = "STATE:1:cc/rrc:Qh|Qs/Ks:2.5|-2.5:p2_hash|p1_hash\n"

    assert parse_state(line) == StateLine(
        1, "cc/rrc", ((42,), (43,)), ((), (47,)), (2.5, -2.5), ("p2_hash", "p1_hash")
    )


def test_hand_of_the_table_is_played_by_the_actors_named() -> None:
    game = load_game("holdem.limit.2p.reverse_blinds")
    hand: HandState = random_hand(game, random.Random(4), 9)
    line = AcpcLog(game, ("first", "second")).hand(hand.events)

    assert line.endswith(":" + "|".join(("first", "second")[seat] for seat in hand.seats) + "\n")
