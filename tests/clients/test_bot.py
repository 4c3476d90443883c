"""The SDK: a bot's life from connecting to the exit code, and everything that can go wrong on the way."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dealer.rules.actions import CALL, FOLD, Action, raise_to
from pokerd_bot.bot import Bot
from pokerd_bot.client import MAX_FORMER, Client
from pokerd_bot.hand import Hand, Match
from pokerd_bot.turn import Turn
from protocol import messages
from protocol.codec import CODECS, JSON, Codec
from tests.clients.first_hand import HAND, START

both = pytest.mark.parametrize("codec", CODECS.values(), ids=lambda codec: codec.subprotocol)

CALLED = messages.PlayerActed("m", 1, 1, "call", 100, 50)
TURN = messages.YourTurn("m", 2, False, 0, (200, 20_000), 200, 1000, 0)


class Spy(Bot):
    """Keeps what it is told and answers as it was told."""

    threaded = False

    def __init__(self, made: list[Spy], answer: Action | Callable[[Turn], Action], match: Match) -> None:
        super().__init__(match)
        self.answer = answer
        self.told: list[tuple[str, Any]] = []
        made.append(self)

    def act(self, turn: Turn) -> Action:
        self.told.append(("act", turn))
        return self.answer if isinstance(self.answer, Action) else self.answer(turn)

    def hand_started(self, hand: Hand) -> None:
        self.told.append(("hand_started", hand))

    def board_dealt(self, hand: Hand, board: messages.Board) -> None:
        self.told.append(("board_dealt", board))

    def acted(self, hand: Hand, action: messages.PlayerActed) -> None:
        self.told.append(("acted", action))

    def hand_ended(self, hand: Hand, shown: messages.Showdown | None, end: messages.HandEnd) -> None:
        self.told.append(("hand_ended", (shown, end)))


class Line:
    """A client without a socket: frames of the server go in, what it answers comes out."""

    def __init__(self, codec: Codec = JSON, answer: Any = CALL) -> None:
        self.bots: list[Spy] = []
        self.client = Client(partial(Spy, self.bots, answer), codec)
        self.codec = codec

    def hear(self, *news: messages.ServerMessage) -> list[messages.ClientMessage]:
        sent: list[bytes] = []
        self.client.handle(self.codec.join([self.codec.encode(message) for message in news]), sent.append)
        return [message for frame in sent for message in self.codec.decode_client(frame)]


@both
class TestWithoutASocket:
    def test_a_match_start_is_answered_and_makes_a_bot(self, codec: Codec) -> None:
        line = Line(codec)
        assert line.hear(START) == [messages.Ready("m")]
        [bot] = line.bots
        assert bot.match.seat == 0
        assert bot.match.table == "m"
        assert bot.match.info == START
        assert bot.match.rng.random() == Match(START).rng.random()

    def test_a_turn_is_answered_with_its_number(self, codec: Codec) -> None:
        line = Line(codec, raise_to(300))
        assert line.hear(START, HAND, CALLED, TURN) == [
            messages.Ready("m"),
            messages.Act("m", 2, "raise", 300),
        ]
        turn = line.bots[0].told[-1][1]
        assert (turn.to_call, turn.can_fold, turn.min_raise, turn.max_raise, turn.pot) == (
            0,
            False,
            200,
            20_000,
            200,
        )
        assert turn.hand.hole == ("Ah", "Kd")
        assert turn.hand.actions == [(0, CALLED)]

    @pytest.mark.parametrize("amount", [337.5, 300.0, "300", None])
    def test_a_raise_to_no_whole_number_fails_in_the_line_of_the_author(
        self, codec: Codec, amount: Any
    ) -> None:
        line = Line(codec, lambda turn: turn.raise_to(amount))
        with pytest.raises(TypeError, match=rf"raise_to\({re.escape(repr(amount))}\).*int") as failure:
            line.hear(START, HAND, CALLED, TURN)
        assert any(Path(str(entry.path)) == Path(__file__) for entry in failure.traceback[-3:])

    @pytest.mark.parametrize(
        "answer",
        [None, 300, "call", (), Action("jump"), Action("raise", 2.5)],  # type: ignore[arg-type]
        ids=repr,
    )
    def test_what_is_no_action_is_told_with_the_line_of_act(self, codec: Codec, answer: Any) -> None:
        line = Line(codec, lambda turn: answer)
        with pytest.raises(TypeError, match=re.escape(f"Spy.act ({__file__}, line ")) as failure:
            line.hear(START, HAND, CALLED, TURN)
        assert repr(answer) in str(failure.value)

    def test_what_the_server_dropped_because_it_came_too_fast_is_sent_again(self, codec: Codec) -> None:
        line = Line(codec, CALL)
        later: list[tuple[float, Callable[[], None]]] = []
        line.client.call_later = lambda delay, call: later.append((delay, call))
        sent: list[bytes] = []

        def hear(*news: messages.ServerMessage) -> list[list[messages.ClientMessage]]:
            sent.clear()
            frame = codec.join([codec.encode(message) for message in news])
            line.client.handle(frame, sent.append)
            for _, call in later:
                call()
            assert all(delay > 0 for delay, _ in later)
            later.clear()
            return [list(codec.decode_client(frame)) for frame in sent]

        ready, act = [messages.Ready("m")], [messages.Act("m", 2, "call", 0)]
        assert hear(START) == [ready]
        assert hear(messages.Error("too_fast", "")) == [ready]
        assert hear(HAND, CALLED, TURN) == [act]
        # As often as it takes, and nothing else.
        for _ in range(3):
            assert hear(messages.Error("too_fast", "", "m", 2)) == [act]
        assert hear(messages.Error("too_fast", "", "other", 2)) == []

    @pytest.mark.parametrize(
        "hook", ["prepare", "hand_started", "board_dealt", "acted", "hand_ended", "match_ended", "refused"]
    )
    def test_a_hook_that_is_a_coroutine_is_told(self, codec: Codec, hook: str) -> None:
        async def nobody_waits(self: Spy, *_: object) -> None:
            raise AssertionError("never called")

        line = Line(codec)
        line.client.factory = partial(type("Awaited", (Spy,), {hook: nobody_waits}), line.bots, CALL)
        with pytest.raises(TypeError, match="coroutine: write def"):
            line.hear(START)

    def test_integers_of_numpy_are_whole_numbers(self, codec: Codec) -> None:
        line = Line(codec, lambda turn: turn.raise_to(np.int64(300)))
        assert line.hear(START, HAND, CALLED, TURN)[-1] == messages.Act("m", 2, "raise", 300)

    def test_what_happens_is_told_in_order(self, codec: Codec) -> None:
        line = Line(codec)
        flop = messages.Board("m", 3, 1, ("2c", "3c", "4c"))
        shown = messages.Showdown("m", 4, [messages.ShownHand(0, ("Ah", "Kd"), "x")])
        end = messages.HandEnd("m", 5, 0, [], (100, -100), (1, 2))
        line.hear(START, HAND, CALLED, TURN, flop, shown, end)
        told = line.bots[0].told
        assert [name for name, _ in told] == ["hand_started", "acted", "act", "board_dealt", "hand_ended"]
        assert told[-1][1] == (shown, end)
        assert told[0][1].board == ["2c", "3c", "4c"]
        assert told[0][1].street == 1

    def test_a_reset_makes_a_new_bot_and_a_resumption_keeps_the_old_one(self, codec: Codec) -> None:
        line = Line(codec)
        line.hear(START)
        again = messages.MatchStart(**{**asdict(START), "resumed": True, "reset": False})
        assert line.hear(again) == [messages.Ready("m")]
        assert len(line.bots) == 1
        assert line.hear(START) == [messages.Ready("m")]
        assert len(line.bots) == 2
        line.hear(messages.MatchEnd("m", 10, [0, 0]))
        assert line.hear(again) == [messages.Ready("m")]
        assert len(line.bots) == 3

    def test_without_a_reset_the_bot_goes_on_in_the_next_match(self, codec: Codec) -> None:
        line = Line(codec)
        line.hear(START)
        line.hear(messages.MatchEnd("m", 10, [0, 0]))
        onward = messages.MatchStart(**{**asdict(START), "match": "second", "reset": False})
        assert line.hear(onward) == [messages.Ready("m")]
        assert len(line.bots) == 1
        assert line.bots[0].match.info.match == "second"
        # Of many tables it keeps a few.
        for number in range(MAX_FORMER + 1):
            line.hear(messages.MatchStart(**{**asdict(START), "table": f"t{number}"}))
            line.hear(messages.MatchEnd(f"t{number}", 10, [0, 0]))
        known = len(line.bots)
        line.hear(messages.MatchStart(**{**asdict(onward), "table": f"t{MAX_FORMER}"}))
        assert len(line.bots) == known
        line.hear(messages.MatchStart(**{**asdict(onward), "table": "t0"}))
        assert len(line.bots) == known + 1

    def test_tables_are_kept_apart(self, codec: Codec) -> None:
        line = Line(codec)
        names = ["x", "y", "z"]
        line.hear(*(messages.MatchStart(**{**asdict(START), "table": name}) for name in names))
        assert len(line.bots) == 3
        for name in names:
            line.hear(messages.HandStart(**{**asdict(HAND), "table": name}))
        turns = [
            messages.YourTurn(**{**asdict(TURN), "table": name, "turn": number})
            for number, name in enumerate(names)
        ]
        assert line.hear(*turns) == [messages.Act(name, number, "call") for number, name in enumerate(names)]
        assert [len(bot.told) for bot in line.bots] == [2, 2, 2]

    def test_many_answers_leave_in_several_frames(self, codec: Codec) -> None:
        line = Line(codec)
        names = [f"t{number}" for number in range(50)]
        line.hear(*(messages.MatchStart(**{**asdict(START), "table": name}) for name in names))
        for name in names:
            line.hear(messages.HandStart(**{**asdict(HAND), "table": name}))
        sent: list[bytes] = []
        turns = [codec.encode(messages.YourTurn(**{**asdict(TURN), "table": name})) for name in names]
        line.client.handle(codec.join(turns), sent.append)
        assert len(sent) > 1
        answers = [message for frame in sent for message in codec.decode_client(frame)]
        assert [answer.table for answer in answers] == names  # type: ignore[union-attr]

    def test_millions_of_chips_are_logged_as_a_whole_number(
        self, codec: Codec, caplog: pytest.LogCaptureFixture
    ) -> None:
        caplog.set_level("INFO", "pokerd_bot")
        line = Line(codec)
        line.hear(START, HAND, messages.HandEnd("m", 5, 0, [], (1_577_000, -1_577_000), (1, 2)))
        assert re.search(r"[+-]1,577,000\b(?!\.)", caplog.text)

    def test_a_refusal_is_answered_by_a_check_or_a_fold(
        self, codec: Codec, caplog: pytest.LogCaptureFixture
    ) -> None:
        line = Line(codec, raise_to(1))
        line.hear(START, HAND, CALLED, TURN)
        error = messages.Error("illegal_action", "the smallest raise is to 200", "m", 2)
        assert line.hear(error) == [messages.Act("m", 2, "call")]
        assert "the smallest raise is to 200" in caplog.text
        facing = messages.YourTurn("m", 5, True, 900, None, 2000, 1000, 0)
        line.hear(facing)
        assert line.hear(messages.Error("illegal_action", "no", "m", 5)) == [messages.Act("m", 5, "fold")]

    def test_a_refusal_of_an_old_turn_is_not_answered(self, codec: Codec) -> None:
        line = Line(codec)
        line.hear(START, HAND, CALLED, TURN)
        assert line.hear(messages.Error("illegal_action", "no", "m", 1)) == []
        assert line.hear(messages.Error("stale_turn", "over", "m", 2)) == []
        assert line.hear(messages.Error("malformed_frame", "what?")) == []

    def test_who_is_taken_for_absent_says_back_once(self, codec: Codec) -> None:
        line = Line(codec)
        line.hear(START, HAND)

        def forced(seq: int, seat: int = 0, why: str = "absent") -> messages.PlayerActed:
            return messages.PlayerActed("m", seq, seat, "fold", forced=why)

        assert line.hear(forced(1), forced(2), forced(3)) == [messages.SitIn("m")]
        assert line.hear(forced(4, seat=1)) == []
        assert line.hear(forced(5, why="timeout")) == []
        line.hear(TURN)
        assert line.hear(forced(6)) == [messages.SitIn("m")]

    def test_messages_of_unknown_tables_are_not_answered(self, codec: Codec) -> None:
        line = Line(codec)
        end = messages.HandEnd("m", 5, 0, [], (100, -100), (1, 2))
        assert line.hear(HAND, CALLED, TURN, messages.Board("m", 3, 1, ("2c",)), end) == []
        assert line.hear(messages.MatchEnd("m", 1, [0, 0])) == []

    def test_a_late_refusal_between_matches_ends_nothing(self, codec: Codec) -> None:
        """An answer that crossed the end of its match; the next match is still to come."""
        line = Line(codec)
        line.hear(messages.Welcome("me", "secret", 30.0, "1"), START, HAND, messages.MatchEnd("m", 1, [0, 0]))
        assert line.hear(messages.Error("unknown_table", "no seat there", "m")) == []
        assert line.client.fatal is None
        assert line.hear(START) == [messages.Ready("m")]

    def test_a_bug_is_kept_to_be_raised(self, codec: Codec) -> None:
        def broken(turn: Turn) -> Action:
            raise ZeroDivisionError("my own fault")

        line = Line(codec, broken)
        with pytest.raises(ZeroDivisionError):
            line.hear(START, HAND, CALLED, TURN)
        assert isinstance(line.client.failure, ZeroDivisionError)


def asdict(message: Any) -> dict[str, Any]:
    return {name: getattr(message, name) for name in message.__struct_fields__}


def test_a_turn_helps_to_answer() -> None:
    match, hand = (match := Match(START)), Hand(match, HAND)
    free = Turn(match, hand, TURN, 0.0)
    assert free.check_or_fold() == CALL
    assert free.raise_min() == raise_to(200)
    assert free.raise_to(777) == raise_to(777)
    facing = Turn(match, hand, messages.YourTurn("m", 5, True, 900, None, 2000, 1000, 0), 0.0)
    assert facing.check_or_fold() == facing.fold() == FOLD
    assert facing.raise_min() == facing.call() == CALL
    assert facing.min_raise is None
    assert Bot(match).act(facing) == FOLD


# Real processes, real sockets.
