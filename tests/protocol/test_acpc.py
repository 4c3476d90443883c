"""The lines of the ACPC protocol: cut, read and judged, whatever arrives."""

from collections.abc import Sequence

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from protocol.acpc import (
    FAULTS,
    MAX_LINE,
    AnswerLine,
    InterpretedAction,
    LineReader,
    interpret_action,
    is_comment,
    is_exact,
    line_text,
    matchstate,
    parse_answer,
    parse_cards,
    parse_version,
)

STREAMS = st.lists(
    st.one_of(
        st.binary(max_size=40), st.sampled_from([b"\n", b"\r\n", b"x" * 4094, b"x" * 4095, b"x" * 9000])
    ),
    max_size=12,
)


def cut(segments: Sequence[bytes]) -> list[bytes]:
    reader = LineReader()
    lines = [line for segment in segments for line in reader.feed(segment)]
    rest = reader.flush()
    return [*lines, rest] if rest else lines


@given(STREAMS)
def test_the_same_lines_however_the_stream_is_cut(segments: list[bytes]) -> None:
    stream = b"".join(segments)
    lines = cut([stream])
    assert cut(segments) == lines
    assert cut([bytes([byte]) for byte in stream]) == lines
    assert b"".join(lines) == stream
    for line in lines:
        assert len(line) <= MAX_LINE
        assert b"\n" not in line[:-1]
        assert line.endswith(b"\n") or len(line) == MAX_LINE or line is lines[-1]


def test_a_line_of_4095_bytes_is_the_longest() -> None:
    assert [len(line) for line in cut([b"x" * 4094 + b"\n"])] == [4095]
    assert [len(line) for line in cut([b"x" * 4095 + b"\n"])] == [4095, 1]


@pytest.mark.parametrize(
    ("line", "text"),
    [(b"abc\r\n", "abc"), (b"abc\n", "abc"), (b"ab\0c\n", "ab"), (b"\xff\n", "\xff"), (b"", "")],
)
def test_what_a_line_says(line: bytes, text: str) -> None:
    assert line_text(line) == text


def test_comments() -> None:
    assert is_comment(b"# hi\n")
    assert is_comment(b";\n")
    assert not is_comment(b" # hi\n")


@pytest.mark.parametrize(
    ("text", "version"),
    [
        ("VERSION:2.0.0", (2, 0, 0)),
        ("VERSION: 2. 0. 0 and more", (2, 0, 0)),
        ("VERSION:2.5.9", (2, 5, 9)),
        ("VERSION:2.0", None),
        ("version:2.0.0", None),
        ("", None),
    ],
)
def test_versions(text: str, version: tuple[int, int, int] | None) -> None:
    assert parse_version(text) == version


def test_a_state_as_it_is_sent_and_its_answer() -> None:
    line = matchstate(1, 55, "cr300c/cr400", ["", "5d5c"], "/8dAs8s")
    assert line == "MATCHSTATE:1:55:cr300c/cr400:|5d5c/8dAs8s"
    answer = parse_answer(f"{line}:r900", limit=False)
    assert answer == AnswerLine(1, 55, "cr300ccr400", "|5d5c/8dAs8s:r900")
    cards = parse_cards(answer.rest, 2, 2, (0, 3))
    assert cards is not None
    assert (cards.hole, cards.board, cards.rest) == (["", "5d5c"], ["", "8dAs8s"], ":r900")
    assert is_exact(f"{line}:r900", line, limit=False)
    assert not is_exact(f"{line}:r900", line, limit=True)
    assert not is_exact(f"{line}:r0900", line, limit=False)


@pytest.mark.parametrize(
    ("betting", "limit", "read"),
    [
        ("kBf", True, "crf"),
        ("K/R", True, "cr"),
        ("r300", True, None),
        ("r 300b+400", False, "r300r400"),
        ("r", False, None),
        ("r99999999999", False, "r1215752191"),
        ("r99999999999999999999999", False, "r-1"),
        ("x", False, None),
    ],
)
def test_betting_in_other_spellings(betting: str, limit: bool, read: str | None) -> None:
    answer = parse_answer(f"MATCHSTATE:0:7:{betting}:AsAh|", limit=limit)
    assert (answer and answer.betting) == read


@pytest.mark.parametrize(
    ("text", "hole", "board"),
    [
        ("AsAh|/2c3c4c", ["AsAh", ""], ["", "2c3c4c"]),
        ("aSaH2C3C4C5C6C", ["AsAh", "2c3c"], ["", "4c5c6c"]),
        ("|aSaH/2C3C4C", ["", "AsAh"], ["", "2c3c4c"]),
        ("As|/2c3c4c", None, None),
        ("AsAh|/2c3c", None, None),
        ("", None, None),
    ],
)
def test_cards_in_other_spellings(text: str, hole: list[str] | None, board: list[str] | None) -> None:
    cards = parse_cards(text, 2, 2, (0, 3))
    if board is None:
        assert cards is None
    else:
        assert cards is not None
        assert (cards.hole, cards.board) == (hole, board)


RAISES = st.one_of(
    st.none(), st.tuples(st.integers(1, 10**6), st.integers(0, 10**6)).map(lambda t: (t[0], sum(t)))
)


@given(st.text(max_size=30), st.booleans(), st.booleans(), RAISES)
@example(":r" + "9" * 4000, False, False, (200, 20000))
def test_whatever_is_said_comes_to_something_legal(
    rest: str, limit: bool, fold: bool, raises: tuple[int, int] | None
) -> None:
    judgement = interpret_action(rest, limit=limit, fold=fold, raises=raises)
    assert judgement.fault in ("", *FAULTS)
    if judgement.action == "fold":
        assert fold
    if judgement.action == "raise":
        assert raises is not None
        assert raises[0] <= judgement.total <= raises[1]
    answer = parse_answer(f"MATCHSTATE:0:0:{rest}:{rest}", limit=limit)
    if answer is not None:
        parse_cards(answer.rest, 3, 2, (0, 3))


def test_a_raise_is_judged_by_its_total() -> None:
    def said(rest: str) -> InterpretedAction:
        return interpret_action(rest, limit=False, fold=True, raises=(200, 1000))

    assert said(":r500") == InterpretedAction("raise", 500, "", 500)
    assert said(":b100") == InterpretedAction("raise", 200, "raise_adjusted", 100)
    assert said(":r1001") == InterpretedAction("raise", 1000, "raise_adjusted", 1001)
    assert interpret_action(":r500", limit=False, fold=True, raises=None) == InterpretedAction(
        "call", 0, "invalid_action", 500
    )
    assert interpret_action(":r", limit=True, fold=True, raises=(20, 20)) == InterpretedAction("raise", 20)
