"""Frames of served tables are equal to ``dealer.rules``, show one seat's view, and refuse row by row."""

from __future__ import annotations

import os
from dataclasses import replace
from io import StringIO
from random import Random
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dealer.records.acpc import Score, log_name, number_text
from dealer.records.acpc_log import log_head, read_acpc, write_acpc
from dealer.records.convert import FORMATS
from dealer.records.hands import HandRecord
from dealer.rules.actions import CALL, FOLD, Action, raise_to
from dealer.rules.events import Shown
from dealer.rules.games import Game, holdem, load_game
from dealer.rules.hand import HandState
from protocol.batch import VERSION
from strategy.batch import betting, wire
from strategy.batch.opponents import QUICK, UnknownOpponent
from strategy.batch.service import BadAnswer, BadBatch, Recording, ServedTables
from strategy.batch.serving import show
from strategy.batch.wire import ServerFrame, answer_frame, read_frame, row_type
from strategy.checks import UnplayableGame
from tests.strategy.batch.walks import any_action, any_game

HISTORY = 128
KINDS = {"fold": 0, "call": 1, "raise": 2}


class Dealt(NamedTuple):
    hole: tuple[tuple[int, ...], ...]
    shown: tuple[int, ...]

    def board(self, street: int) -> tuple[int, ...]:
        return self.shown[(0, 0, 3, 4)[street] : (0, 3, 4, 5)[street]]


def served(game: Game, size: int, opponent: str = "random", **settings: Any) -> ServedTables:
    opponents = [opponent] * (game.players - 1)
    return ServedTables(
        game, size, opponents, **{"limit": 10.0, "history": HISTORY, "entropy": os.urandom, **settings}
    )


def replayed(game: Game, row: np.void) -> HandState:
    """The hand of a row by the rules, from what the row shows; cards that it does not show are any others."""
    players = game.players
    known = [tuple(map(int, row["shown"][2 * place : 2 * place + 2])) for place in range(players)]
    known[int(row["position"])] = tuple(map(int, row["own"]))
    board = [int(card) for card in row["board"]]
    used = {card for cards in (*known, board) for card in cards}
    others = iter([card for card in range(52) if card not in used])
    hole = tuple(tuple(next(others) if card == 255 else card for card in cards) for cards in known)
    cards = Dealt(hole, tuple(next(others) if card == 255 else card for card in board))
    hand = HandState(game, cards)
    for step in row["history"][: int(row["actions"])].tolist():
        assert (step & 3, step >> 2 & 15) == (hand.betting.street, hand.betting.to_act)
        total = step >> 8
        kind = (FOLD, CALL, raise_to(total))[step >> 6 & 3]
        start, position = hand.betting.street_start, hand.betting.to_act
        hand.act(kind)
        if kind is not FOLD:
            assert total == hand.betting.spent[position] - start
    return hand


def verify(game: Game, row: np.void) -> HandState:
    """Compare everything that a row says with the rules."""
    hand = replayed(game, row)
    state, own = hand.betting, int(row["position"])
    assert (row["street"], row["pot"]) == (state.street, sum(state.spent))
    assert row["bet"] == state.bet - state.street_start
    assert row["stacks"].tolist() == [a - b for a, b in zip(state.stacks, state.spent, strict=True)]
    assert row["paid"].tolist() == list(state.spent)
    assert row["bets"].tolist() == [max(0, spent - state.street_start) for spent in state.spent]
    gone = [bool(row["folded"] >> place & 1) for place in range(game.players)]
    assert gone == list(state.folded)
    broke = [
        stack == spent and not out for stack, spent, out in zip(state.stacks, state.spent, gone, strict=True)
    ]
    assert [bool(row["all_in"] >> place & 1) for place in range(game.players)] == broke
    assert int(row["answered"]) == sum(position == own for _, position, _ in state.history)
    dealt = [card for card in row["board"].tolist() if card != 255]
    assert dealt == list(hand.board)
    limits = [int(row[name]) for name in ("call", "min_raise", "max_raise")]
    if row["over"]:
        assert hand.over
        assert limits == [0, 0, 0]
        assert row["value"] == hand.values[own]
        shown = [event for event in hand.events if isinstance(event, Shown)]
        down = {seat: cards for event in shown for seat, cards in event.hands}
        for place in range(game.players):
            cards = tuple(row["shown"][2 * place : 2 * place + 2].tolist())
            assert cards == down.get(place, (255, 255))
    else:
        assert state.to_act == own
        fold, call, low, high = state.legal()
        assert fold == (call > 0)
        assert limits == [call, low or 0, high or 0]
        assert (row["value"], set(row["shown"].tolist())) == (0, {255})
    return hand


def answers(random: Random, hands: list[HandState]) -> tuple[list[int], list[int]]:
    actions: list[Action] = [any_action(random, hand.betting) for hand in hands]
    return [KINDS[action.kind] for action in actions], [action.to or 0 for action in actions]


def deep(random: Random) -> Game:
    """Any game with stacks in which somebody has a decision."""
    game = any_game(random)
    big = max(game.blinds)
    return replace(game, stacks=tuple(random.randint(big * 3, big * 40) for _ in range(game.players)))


@pytest.mark.parametrize("seed", range(25))
def test_rows_are_as_in_the_rules_and_records_too(seed: int) -> None:
    random = Random(f"service {seed}")
    game = deep(random)
    lines: list[str] = []
    names = ["me", *(f"random-{seat}" for seat in range(1, game.players))]
    tables = served(
        game, 5, recording=Recording(lambda text: lines.append(bytes(text).decode()), names), hands=60
    )
    row = row_type(game.players, HISTORY)
    frame = read_frame(tables.begin(lambda: 0.0), row)
    won: dict[int, float] = {}
    number = 0
    while True:
        assert (frame.header["version"], frame.header["frame"]) == (VERSION, number)
        for ended in frame.over:
            if ended["actions"] <= HISTORY:
                verify(game, ended)
            won[int(ended["hand"]) * 5 + int(ended["table"])] = float(ended["value"])
        if not len(frame.turns):
            break
        short = frame.turns["actions"] <= HISTORY
        hands = [verify(game, turn) for turn in frame.turns[short]]
        kinds, to = answers(random, hands)
        said = np.ones((2, len(frame.turns)), np.int64)
        said[0, short], said[1, short] = kinds, to
        frame = read_frame(
            tables.answer(answer_frame(number, frame.turns["table"], said[0], said[1]), 0.0), row
        )
        assert len(frame.refused) == 0
        number += 1
    assert frame.header["flags"] == wire.LAST
    assert tables.over
    assert len(won) == 60
    # The reader plays every line again by the rules, and compares what each player won, and the score.
    log = log_head(game, "batch") + "".join(lines) + Score(tuple(tables.totals), tuple(names)).text()
    records = list(read_acpc(StringIO(log)))
    assert {record.started.hand: own_value(record) for record in records} == won
    assert len(records) == 60
    again = "".join(write_acpc(records))
    assert [line for line in again.splitlines() if line.startswith("STATE")] == "".join(lines).splitlines()
    if game.rules != "acpc":
        assert len("".join(FORMATS["pokerstars"].write(records))) > 60


def own_value(record: HandRecord) -> float:
    (seat,) = [seat for seat, name in record.names.items() if name == "me"]
    return float(record.ended.values[record.started.seats.index(seat)])


@pytest.mark.parametrize("seed", range(10))
def test_no_frame_depends_on_cards_that_the_seat_may_not_know(seed: int) -> None:
    random = Random(f"peek {seed}")
    game = deep(random)
    tables, row = served(game, 30, "call"), row_type(game.players, HISTORY)
    frame = tables.begin(lambda: 0.0)
    for _ in range(15):
        found, arrays = read_frame(frame, row), tables._arrays
        before = arrays.turn_bytes.copy()
        # Whoever is not the player, and the board that is to come, get other cards.
        for turn in found.turns:
            cards = arrays.cards[int(turn["table"])]
            seen = {2 * int(turn["position"]), 2 * int(turn["position"]) + 1}
            seen |= {2 * game.players + at for at in range(5) if turn["board"][at] != 255}
            hidden = [at for at in range(len(cards)) if at not in seen]
            rest = [card for card in range(52) if card not in {int(cards[at]) for at in seen}]
            cards[hidden] = random.sample(rest, len(hidden))
        show(arrays)
        assert (arrays.turn_bytes == before).all()
        kinds, to = answers(random, [replayed(game, turn) for turn in found.turns])
        frame = tables.answer(answer_frame(int(found.header["frame"]), found.turns["table"], kinds, to), 0.0)


def begun(size: int = 4, **settings: Any) -> tuple[ServedTables, np.dtype[Any], ServerFrame]:
    tables = served(holdem(2, 5, 10, stack=1000), size, "call", **settings)
    row = row_type(2, HISTORY)
    return tables, row, read_frame(tables.begin(lambda: 0.0), row)


def test_rows_are_refused_one_by_one_and_asked_again() -> None:
    tables, row, first = begun(5)
    # Too small a raise, no such action, no such table, and a table twice; two are not answered.
    said = answer_frame(0, [0, 1, 9, 3, 3], [2, 7, 1, 1, 1], [3, 0, 0, 0, 0])
    frame = read_frame(tables.answer(said, 1.0), row)
    codes = {
        (int(line["row"]), int(line["table"])): wire.REFUSALS[int(line["code"])] for line in frame.refused
    }
    assert codes == {
        (0, 0): "illegal_action",
        (1, 1): "illegal_action",
        (2, 9): "unknown_table",
        (4, 3): "stale_turn",
    }
    assert frame.turns["table"].tolist() == [0, 1, 2, 3, 4]
    assert frame.turns["answered"].tolist()[:3] == [0, 0, 0]
    assert (frame.turns[:3].tobytes(), tables.refused) == (first.turns[:3].tobytes(), 4)
    assert frame.turns[3].tobytes() != first.turns[3].tobytes()
    # The clock of what was asked before runs on.
    assert frame.header["time_ms"] == 9000
    after = read_frame(tables.answer(answer_frame(1, [0], [1], [0]), 1.0), row)
    assert len(after.refused) == 0


@pytest.mark.parametrize(
    ("said", "code"),
    [
        (b"", "malformed_frame"),
        (b"\0" * 12, "malformed_frame"),
        (b"\2" + answer_frame(0, [0], [1], [0])[1:], "malformed_frame"),
        (b"\1\0\7" + answer_frame(0, [0], [1], [0])[3:], "malformed_frame"),
        (answer_frame(0, [0] * 5, [1] * 5, [0] * 5), "malformed_frame"),
        (answer_frame(1, [0], [1], [0]), "not_your_turn"),
    ],
)
def test_what_is_no_answer_changes_nothing(said: bytes, code: str) -> None:
    tables, row, _ = begun()
    with pytest.raises(BadAnswer) as refused:
        tables.answer(said, 0.0)
    assert refused.value.code == code
    assert len(read_frame(tables.answer(answer_frame(0, [0], [1], [0]), 0.0), row).turns) == 4
    with pytest.raises(BadAnswer) as refused:
        tables.answer(answer_frame(0, [0], [1], [0]), 0.0)
    assert refused.value.code == "stale_turn"


def test_a_row_whose_reserved_byte_is_not_0_is_refused() -> None:
    tables, row, _ = begun()
    said = bytearray(answer_frame(0, [0], [1], [0]))
    said[wire.REPLY.itemsize + 3] = 7
    (refused,) = read_frame(tables.answer(bytes(said), 0.0), row).refused
    assert wire.REFUSALS[int(refused["code"])] == "illegal_action"


@settings(max_examples=200, deadline=None)
@given(st.lists(st.binary(min_size=8, max_size=8), max_size=5), st.binary(max_size=30))
def test_any_bytes_are_carried_out_or_refused(said: list[bytes], noise: bytes) -> None:
    tables, row, _ = begun(5)
    frame = read_frame(tables.answer(answer_frame(0, [], [], []) + b"".join(said), 0.0), row)
    # Each row did something or was refused, and everybody is asked on.
    changed = sum(int(turn["actions"] > 1 or turn["answered"] or turn["hand"]) for turn in frame.turns)
    assert frame.turns["table"].tolist() == [0, 1, 2, 3, 4]
    assert changed + len(frame.refused) >= len(said)
    assert len(frame.refused) <= len(said)
    with pytest.raises(BadAnswer):
        tables.answer(noise, 0.0)


def test_the_policy_acts_when_time_is_over_and_nowhere_else() -> None:
    tables, row, first = begun(limit=2.0)
    assert tables.deadline == 2.0
    frame = read_frame(tables.answer(answer_frame(0, [2, 3], [1, 1], [0, 0]), 1.5), row)
    assert tables.deadline == 2.0
    forced = read_frame(tables.force(2.0), row)
    assert forced.header["flags"] == wire.FORCED
    assert forced.turns[2:].tobytes() == frame.turns[2:].tobytes()
    # A check where that is possible, and else a fold.
    folds = [place for place in (0, 1) if first.turns[place]["call"]]
    assert forced.over["table"].tolist() == folds
    assert all(
        step[: int(count)][-1] >> 6 & 3 == 0
        for step, count in zip(forced.over["history"], forced.over["actions"], strict=True)
    )
    assert 0 < len(folds) < 2
    assert tables.deadline == 3.5


def test_the_rest_of_a_record_is_played_by_the_policy() -> None:
    lines: list[bytes] = []
    tables, row, frame = begun(recording=Recording(lambda text: lines.append(bytes(text)), ["me", "call-1"]))
    for _ in range(6):
        frame = read_frame(
            tables.answer(answer_frame(int(frame.header["frame"]), range(4), [1] * 4, 0), 0.0), row
        )
    begun_hands = sum(int(turn["hand"]) + 1 for turn in frame.turns)
    tables.finish()
    assert tables.over
    assert b"".join(lines).count(b"STATE") == begun_hands
    assert sum(tables.totals) == 0


def test_hands_are_shared_by_the_tables() -> None:
    tables, row, frame = begun(hands=7)
    played = []
    while len(frame.turns):
        said = answer_frame(int(frame.header["frame"]), frame.turns["table"], [1] * len(frame.turns), 0)
        frame = read_frame(tables.answer(said, 0.0), row)
        played += frame.over["table"].tolist()
    assert sorted(played) == [0, 0, 1, 1, 2, 2, 3]


def test_cards_follow_from_a_seed_or_from_nothing() -> None:
    def own(seed: object) -> bytes:
        return bytes(begun(64, seed=seed)[2].turns["own"].tobytes())

    assert own(1) == own(1)
    assert len({own(1), own(2), own(None), own(None)}) == 4


def test_the_entropy_of_every_frame_is_new() -> None:
    asked: list[int] = []

    def zeros(size: int) -> bytes:
        asked.append(size)
        return bytes(size)

    tables, _, _ = begun(entropy=zeros)
    tables.answer(answer_frame(0, [0], [1], [0]), 0.0)
    assert asked == [64, 64]


@pytest.mark.parametrize("players", [2, 3, 6, 10])
@pytest.mark.parametrize("history", [1, 7, 128])
def test_parts_are_aligned_and_do_not_overlap(players: int, history: int) -> None:
    for part in (wire.HEADER, wire.REPLY, wire.ANSWER, wire.REFUSAL, row_type(players, history)):
        assert part.itemsize % 8 == 0
        assert part.fields is not None
        end = 0
        for kind, offset in sorted(
            ((field[0], field[1]) for field in part.fields.values()), key=lambda x: x[1]
        ):
            assert offset >= end
            assert offset % kind.base.itemsize == 0
            end = offset + kind.itemsize
        assert end <= part.itemsize


def test_a_name_can_stand_in_a_log() -> None:
    assert [log_name(name) for name in ("a b", "a:b|c", "x")] == ["a_b", "a_b_c", "x"]
    assert number_text(2.5) == "2.5"


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"game": load_game("leduc.limit.2p")}, UnplayableGame),
        ({"game": holdem(2, 1, 2, stack=2**24)}, BadBatch),
        ({"history": 0}, BadBatch),
        ({"history": 129}, BadBatch),
        ({"opponent": "loki2"}, UnknownOpponent),
        (
            {
                "game": holdem(10, 1, 2, stack=2**20),
                "size": 1024,
                "recording": Recording(lambda text: None, list("abcdefghij")),
            },
            BadBatch,
        ),
    ],
)
def test_what_cannot_be_is_refused(changes: dict[str, Any], error: type[Exception]) -> None:
    settings: dict[str, Any] = {"game": holdem(2, 1, 2, stack=100), "size": 1, "opponent": "call", **changes}
    with pytest.raises(error):
        served(**settings)


@pytest.mark.parametrize("name", QUICK)
def test_every_opponent_plays_in_full_rooms(name: str) -> None:
    game = holdem(10, 1, 2, stack=100)
    tables, row = served(game, 50, name, history=4), row_type(10, 4)
    frame = read_frame(tables.begin(lambda: 0.0), row)
    ended = 0
    for _ in range(40):
        said = answer_frame(
            int(frame.header["frame"]), frame.turns["table"], (frame.turns["call"] == 0).astype(int), 0
        )
        frame = read_frame(tables.answer(said, 0.0), row)
        assert len(frame.refused) == 0
        ended += len(frame.over)
    assert ended > 400
    assert betting.FOLD == 0


@pytest.mark.parametrize(
    ("game", "stacks", "tables"),
    [
        (replace(holdem(10, 5, 10, limit=True, stack=10**6), max_raises=(0, 255, 255, 255)), None, 1024),
        (holdem(3, 1, 2), (4 * 10**6,) * 3, 64),
    ],
)
def test_nobody_makes_a_server_play_for_ever(game: Game, stacks: tuple[int, ...] | None, tables: int) -> None:
    """Bots that always raise would play thousands of raises in each hand while others wait."""
    with pytest.raises(BadBatch):
        ServedTables(
            game, tables, ["raise"] * (game.players - 1), limit=1.0, history=1, entropy=bytes, stacks=stacks
        )


@pytest.mark.parametrize("game", [holdem(2, 5, 10, limit=True), holdem(6, 50, 100, stack=20_000)])
def test_usual_games_fill_a_frame(game: Game) -> None:
    tables = ServedTables(game, 1024, ["call"] * (game.players - 1), limit=1.0, history=32, entropy=bytes)
    assert tables.begin(lambda: 0.0)
