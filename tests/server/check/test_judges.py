"""Whatever a program says, the judges come to an end, and what they found can be printed."""

from __future__ import annotations

import io
import json
from collections.abc import Sequence
from typing import Any, Literal

import msgpack
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.console import Console

from dealer.rules.games import load_game
from protocol.acpc import is_comment
from protocol.codec import CODECS
from server.acpc_dealer.play import AcpcMatch
from server.check.acpc.checks import ACPC_CHECKS
from server.check.acpc.rules import AcpcEvaluation
from server.check.acpc.scenario_runner import ruling_event
from server.check.acpc.scenarios import ACPC_SCENARIOS, AcpcScenario
from server.check.checks import CHECKS
from server.check.final_rules import WholeEvaluation
from server.check.live_rules import TurnHistory
from server.check.model import Check, ScenarioResult, TranscriptEntry, collect_results
from server.check.report import print_report, report_data
from server.check.scenarios import SCENARIOS, Scenario
from server.check.suite import ACPC_GAME, CheckReport
from server.check.wire_variants import decode_client_messages
from tests.protocol.generate import any_frames, objects

Message = dict[str, Any]


def print_out(checks: Sequence[Check], played: ScenarioResult) -> None:
    """Print it in both ways; of the checks those alone where something was found."""
    found = [result for result in collect_results(checks, [played], {}) if result.example is not None]
    report = CheckReport(found, [played])
    json.loads(report_data(report, verbose=True))
    print_report(report, Console(file=io.StringIO(), width=100), verbose=True)


# Conversations over a websocket.

TABLES = st.sampled_from(["plays/0", "plays/1", "elsewhere"])
TURNS = st.integers(0, 5)
CHIPS = st.integers(0, 300)
SEATS = st.integers(0, 1)


def said_by_server(kind: str, **fields: st.SearchStrategy[Any]) -> st.SearchStrategy[Message]:
    return st.fixed_dictionaries({"type": st.just(kind), "table": TABLES, **fields})


SERVER = st.one_of(
    st.just({"type": "welcome", "name": "you", "resume": "r"}),
    said_by_server("match_start", seat=SEATS, resumed=st.booleans()),
    said_by_server("hand_start", seq=TURNS, seats=st.just([0, 1]), blinds=st.just([10, 5])),
    said_by_server("board", seq=TURNS, cards=st.just(["Ah"])),
    said_by_server(
        "acted",
        seq=TURNS,
        seat=SEATS,
        action=st.sampled_from(["fold", "call", "raise"]),
        to=CHIPS,
        forced=st.sampled_from(["", "timeout", "absent"]),
    ),
    said_by_server(
        "turn",
        turn=TURNS,
        fold=st.booleans(),
        call=CHIPS,
        raise_to=st.none() | st.tuples(CHIPS, CHIPS).map(sorted),
    ),
    said_by_server("match_end", reason=st.sampled_from(["complete", "left", "internal"])),
)
#: Those that are refused for a turn come most often.
REFUSED = said_by_server(
    "error",
    code=st.sampled_from(
        ["illegal_action", "stale_turn", "not_your_turn", "unknown_table"] * 3
        + ["not_asked", "malformed_frame", "wrong_frame_kind", "hello_first", "bad_token", "replaced"]
    ),
    message=st.just("the case in words"),
    turn=st.none() | TURNS,
    fatal=st.booleans(),
)
ACT = st.fixed_dictionaries(
    {
        "type": st.just("act"),
        "table": TABLES | objects,
        "turn": TURNS | objects,
        "action": st.sampled_from(["call", "check", "fold", "raise"]) | objects,
    },
    optional={"to": CHIPS | objects},
)
OTHER = st.fixed_dictionaries(
    {"type": st.sampled_from(["hello", "ready", "back", "join"]) | objects},
    optional={"table": TABLES | objects},
)
INJURED = st.builds(lambda value: value if isinstance(value, dict) else {"?": value}, objects)
EVENTS = st.one_of(
    *(
        st.just({"event": name})
        for name in (
            "started",
            "connected",
            "drop",
            "break",
            "restart",
            "late",
            "replace",
            "shutdown",
            "pong",
            "seated",
        )
    ),
    st.just({"event": "handshake", "offered": "chat", "taken": None}),
    st.just({"event": "handshake", "offered": "", "taken": "pokerd.v1.json"}),
    st.just({"event": "unreadable", "text": True, "frame": "b'{'"}),
    st.just({"event": "too big", "bytes": 70_000}),
    st.just({"event": "gave up", "why": "it was not ready"}),
    st.just({"event": "exited", "code": 1}),
    st.just({"event": "closed", "ours": False, "code": None}),
    st.just({"event": "goodbye"}),
    st.just({"event": "still running"}),
)
ENTRIES = st.lists(
    st.one_of(
        st.tuples(st.just("S"), SERVER),
        st.tuples(st.just("S"), REFUSED),
        st.tuples(st.just("C"), ACT),
        st.tuples(st.just("C"), OTHER | INJURED),
        st.tuples(st.just("-"), EVENTS),
    ),
    max_size=25,
).map(lambda said: [TranscriptEntry(float(at), who, message) for at, (who, message) in enumerate(said)])


@given(st.sampled_from(SCENARIOS), st.lists(ENTRIES, min_size=1, max_size=2))
def test_no_conversation_makes_the_judge_fail(
    scenario: Scenario, rounds: list[list[TranscriptEntry]]
) -> None:
    memory = TurnHistory()
    for entries in rounds:
        print_out(CHECKS, WholeEvaluation(scenario, 1.0, memory).evaluate(entries))


@given(st.sampled_from(list(CODECS.values())), st.data())
def test_any_frame_can_be_noted_and_printed(codec: Any, data: st.DataObject) -> None:
    frame = data.draw(any_frames(codec))
    entries = [
        TranscriptEntry(0.0, "C", message) for message in decode_client_messages(frame, text=codec.text) or []
    ]
    print_out(CHECKS, WholeEvaluation(SCENARIOS[0], 1.0, TurnHistory()).evaluate(entries))


def test_what_only_messagepack_can_say_is_printed_too() -> None:
    wrong = msgpack.packb({"type": "act", b"turn": b"\xff", "to": msgpack.ExtType(5, b"x"), 7: [[]]})
    deep = msgpack.packb({"type": "act", "table": 1})[:-1] + b"\x91" * 900 + b"\x90"
    for frame in (wrong, deep):
        entries = [
            TranscriptEntry(0.0, "C", message) for message in decode_client_messages(frame, text=False) or []
        ]
        print_out(CHECKS, WholeEvaluation(SCENARIOS[0], 1.0, TurnHistory()).evaluate(entries))


def test_an_answer_for_somebody_who_sits_out_was_not_asked_for() -> None:
    table = {"table": "back/0"}
    refused = {"type": "error", "code": "stale_turn", "message": "turn 15 is not open", "turn": 15, **table}
    said: list[tuple[str, Message]] = [
        ("S", {"type": "match_start", "seat": 0, **table}),
        ("S", {"type": "hand_start", "seq": 14, "seats": [1, 0], "blinds": [10, 5], **table}),
        ("S", {"type": "acted", "seq": 15, "seat": 0, "action": "fold", "forced": "absent", **table}),
        ("C", {"type": "act", "turn": 15, "action": "call", **table}),
        ("S", refused),
    ]
    scenario = next(scenario for scenario in SCENARIOS if scenario.id == "back")
    entries = [TranscriptEntry(float(at), who, message) for at, (who, message) in enumerate(said)]  # type: ignore[arg-type]
    found = {
        finding.check for finding in WholeEvaluation(scenario, 1.0, TurnHistory()).evaluate(entries).findings
    }
    assert "unasked" in found
    assert "in-time" not in found


# Matches with ACPC programs.

LINE_ENDS = st.sampled_from(["\r\n", "\n", "", "\r", " \r\n"])
ANSWERS = st.one_of(
    st.sampled_from([":c", ":f", ":r", ":r300", ":r0", ":r999999999", "", ":", ":x", ":c:c", ":r-5", ":R1"]),
    st.text(st.characters(max_codepoint=255, exclude_characters="\r\n"), max_size=6),
)


class Match:
    """A match under the real rules, whose program in the first seat answers anything."""

    def __init__(self, draw: st.DrawFn, scenario: AcpcScenario) -> None:
        self.draw = draw
        self.entries: list[TranscriptEntry] = []
        game = scenario.game or load_game(ACPC_GAME)
        self.play = AcpcMatch(game, 1, 2, [str(number) for number in range(game.players)])
        self.shown: list[str] = []

    def add(self, who: Literal["S", "C", "-"], **message: Any) -> None:
        self.entries.append(TranscriptEntry(float(len(self.entries)), who, message))

    def step(self) -> bool:
        """Show it where the match stands, and go on; False when it is over."""
        play = self.play
        asked = play.actor == 0
        self.shown.append(play.state_line(0).decode())
        self.add("S", line=self.shown[-1], asked=asked, final=play.actor < 0)
        if asked:
            for _ in range(self.draw(st.integers(0, 3))):
                self.answer()
        elif play.over:
            self.add("-", event="complete")
            return False
        elif play.actor < 0:
            play.next_hand()
        else:
            play.act("call")
        return True

    def answer(self) -> None:
        line = self.draw(st.sampled_from(self.shown) | st.just("MATCHSTATE:") | st.just("#"))
        line += self.draw(ANSWERS) + self.draw(LINE_ENDS)
        self.add("C", line=line)
        data = line.encode("latin-1")
        if self.play.actor == 0 and not is_comment(data):
            judgement, fault = self.play.judge(data, exact=True)
            self.add("-", **ruling_event(self.play, fault, judgement, early=self.draw(st.booleans())))
            if judgement is not None:
                self.play.act(judgement.action, judgement.total)


@st.composite
def matches(draw: st.DrawFn) -> tuple[AcpcScenario, list[TranscriptEntry]]:
    """It may stop anywhere."""
    scenario = draw(st.sampled_from(ACPC_SCENARIOS))
    match = Match(draw, scenario)
    match.add("-", event="connected")
    first = draw(st.sampled_from(["VERSION:2.0.0\r\n", "VERSION:1.0.0\n", "hello", ""]))
    if first:
        match.add("C", line=first)
        steps = draw(st.integers(0, 12))
        while steps and match.step():
            steps -= 1
    for event in ("late", "closed", "gave up"):
        if draw(st.booleans()):
            match.add("-", event=event)
    if draw(st.booleans()):
        match.add("-", event="exited", code=draw(st.sampled_from([0, 1, -9])))
        match.add("-", event="left behind", processes=draw(st.sampled_from([[], ["7 sleep"]])))
    else:
        match.add("-", event="still running")
    return scenario, match.entries


@settings(max_examples=50)
@given(matches())
def test_no_match_makes_the_judge_of_acpc_programs_fail(
    match: tuple[AcpcScenario, list[TranscriptEntry]],
) -> None:
    scenario, entries = match
    print_out(ACPC_CHECKS, AcpcEvaluation(scenario, 1.0).evaluate(entries))
