"""Evaluates a transcript entry by entry. No I/O.

It explains what the real rules refused, and compares the answers with the turns to find missing ones.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable
from typing import Final

import msgspec

from protocol.messages import Act
from server.check.evaluation import TranscriptEvaluation
from server.check.explanations import explain_illegal
from server.check.model import JsonMessage, TranscriptEntry
from server.check.scenarios import SCENARIOS, Scenario

Key = tuple[str, int]

#: Error codes that can be attributed without knowing the turn, and their checks.
_CODES: Final = {
    "wrong_frame_kind": "frames",
    "too_many_messages": "frames",
    "hello_first": "hello-first",
    "hello_again": "hello-once",
    "not_asked": "ready-once",
    "bad_token": "token",
    "name_taken": "token",
    "bad_resume": "resume",
    "already_seated": "join",
    "no_seat": "join",
    "too_many_tables": "join",
}
#: The checks of messages that name a table where the program has no seat.
_TABLES: Final = {"ready": "ready-once", "back": "ready-once", "join": "join"}
#: Errors that the scenario causes on purpose, or that follow from earlier ones.
_EXPECTED_CODES: Final = frozenset({"server_full", "replaced", "shutting_down", "too_many_faults"})
#: Events that break the connection while its tables continue.
CONNECTION_BREAKS: Final = frozenset({"drop", "break", "restart"})


class TurnHistory:
    """The turns of a process, including those of earlier scenarios: an answer to them may arrive late."""

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        """Forget everything, because another process was started."""
        self.sent_turns: dict[Key, tuple[float, JsonMessage]] = {}
        self.acts: dict[Key, list[JsonMessage]] = {}
        self.refused: Counter[Key] = Counter()
        self.answered: set[Key] = set()
        self.expired: set[Key] = set()
        #: Turns that the scenario made expire.
        self.excused: set[Key] = set()

    def forget(self, table: str) -> None:
        """Forget the turns of a table, because a new match numbers its turns from the start."""
        for by_key in (self.sent_turns, self.acts, self.refused):
            for key in [key for key in by_key if key[0] == table]:
                del by_key[key]
        for keys in (self.answered, self.expired, self.excused):
            keys.difference_update([key for key in keys if key[0] == table])


class Evaluation(TranscriptEvaluation):
    """The evaluation of one scenario; ``seconds`` is the time for each answer. ``history`` is kept from
    scenario to scenario and cleared when another process is started.
    """

    def __init__(self, scenario: Scenario, seconds: float, history: TurnHistory) -> None:
        super().__init__(scenario.id, seconds)
        self.scenario = scenario
        #: The number of events of each name.
        self.counts: Counter[str] = Counter()
        self.awaiting_ready: dict[str, JsonMessage] = {}
        self.open_turns: dict[str, JsonMessage] = {}
        self.acts_by_match: list[list[JsonMessage]] = []
        self.completed = 0
        #: The first action of the policy because the program was absent.
        self.absent_action: JsonMessage | None = None
        self.last_sent: JsonMessage = {}
        self._seats: dict[str, int] = {}
        #: The last turn that expired.
        self.expired_turn: JsonMessage = {}
        #: The server closed the connection, for a reason that is already reported.
        self.hung_up = False
        self._turns = history
        #: Acts for another turn than the open one, with the open one.
        self._wrong_turn_acts: list[tuple[Key, JsonMessage, JsonMessage, str]] = []
        self._bets: dict[str, dict[int, int]] = {}
        #: What the program put in on earlier streets.
        self._before: Counter[str] = Counter()
        self._slowest: tuple[float, JsonMessage] = (0.0, {})
        self._last_act = 0.0
        self._last_replies: list[JsonMessage] = []
        #: Unreadable frames that are not refused yet; another frame may come before the refusal.
        self._unreadable: deque[str] = deque()
        self._server: dict[str, Callable[[JsonMessage, float], None]] = {
            "welcome": self._on_welcome,
            "match_start": self._on_match_start,
            "hand_start": self._on_hand_start,
            "board": self._on_board,
            "acted": self._on_acted,
            "turn": self._on_turn,
            "match_end": self._on_match_end,
            "error": self._on_error,
        }

    def process(self, entry: TranscriptEntry) -> None:
        at, who, message = entry
        if who == "S":
            handler = self._server.get(message["type"])
            if handler is not None:
                handler(message, at)
                if message["type"] != "error":
                    self.last_sent = message
        elif who == "C":
            self._on_client_message(message, at)
        else:
            self._on_event(message)

    def ended_badly(self) -> bool:
        return bool({"gave up", "exited", "still running"} & set(self.events))

    def finish(self) -> None:
        self.check_pace(*self._slowest)
        self._report_wrong_turns()

    def _report_wrong_turns(self) -> None:
        """Report acts for another turn than the open one: either excess acts, or wrong numbers."""
        for key, question, act, error_text in self._wrong_turn_acts:
            if key in self._turns.acts:
                what = f"Turn {question['turn']} was answered correctly, but another act came, too."
                self.add_finding("unasked", f"{what} {error_text}", question, act)
            else:
                what = f"Turn {question['turn']} is open, but the answer is for turn {act.get('turn')}."
                self.add_finding("turn-number", f"{what} {error_text}", question, act)
        if any(finding.check == "turn-number" for finding in self.findings):
            # The excess acts had wrong numbers of the same kind while no turn was open.
            self.findings = [finding for finding in self.findings if finding.check != "unasked"]

    # Events.

    def _on_event(self, event: JsonMessage) -> None:
        name = event["event"]
        self.events[name] = event
        self.counts[name] += 1
        if name in CONNECTION_BREAKS:
            self.counts["returned"] = 0
            if name == "drop":
                for turn in self.open_turns.values():
                    self._turns.acts.pop(_key(turn), None)
        elif name == "late":
            self._turns.excused.update((table, turn["turn"]) for table, turn in self.open_turns.items())
        elif name in ("unreadable", "too big"):
            self._last_replies = []
            if name == "unreadable":
                self._unreadable.append(event["frame"])
            if name == "too big":
                self.hung_up = True
                self.add_finding(
                    "frames", f"It sent a frame of {event['bytes']} bytes; the maximum is 65536."
                )
        elif name == "started":
            self._turns.clear()
        elif name == "connected":
            self.reached.add("connect")
            self.counts["came back"] += bool({"replace", "goodbye"} & self.events.keys())
        elif name == "handshake" and event["taken"]:
            self.reached.add("subprotocol")

    # Messages of the program.

    def _on_client_message(self, message: JsonMessage, at: float) -> None:
        kind = message.get("type")
        self._last_replies = [*self._last_replies[-3:], message]
        self.counts[f"C {kind}"] += 1
        if kind == "hello":
            self.counts["returned"] += 1
        else:
            self.reached |= {"frames", "fields", "refused"}
        if kind == "ready":
            self.awaiting_ready.pop(_table(message), None)
        elif kind == "act":
            self._on_act(message, at)

    def _on_act(self, act: JsonMessage, at: float) -> None:
        key = _key(act)
        if self.acts_by_match:
            self.acts_by_match[-1].append(act)
        if act.get("action") == "raise":
            self.reached |= {"raise-to", "raise-bounds"}
        if key in self._turns.sent_turns and key not in self._turns.acts:
            sent_at, turn = self._turns.sent_turns[key]
            if key not in self._turns.expired:
                # Turns that wait while it thinks about another one do not make it slower.
                thought = at - max(sent_at, self._last_act)
                self._slowest = max(self._slowest, (thought, turn), key=lambda pair: pair[0])
        self._last_act = at
        if _is_act(act):
            self._turns.acts.setdefault(key, []).append(act)

    # Messages of the server.

    def _on_welcome(self, message: JsonMessage, at: float) -> None:
        self.counts["welcome"] += 1
        self.reached |= {"token", "hello-first", "hello-once"}

    def _on_match_start(self, message: JsonMessage, at: float) -> None:
        table = message["table"]
        self._seats[table] = message["seat"]
        if not message.get("resumed"):
            self._turns.forget(table)
        self.awaiting_ready[table] = message
        self.reached |= {"ready", "ready-once"}
        if not message.get("resumed"):
            self.acts_by_match.append([])

    def _on_hand_start(self, message: JsonMessage, at: float) -> None:
        self._bets[message["table"]] = dict(zip(message["seats"], message["blinds"], strict=True))
        self._before[message["table"]] = 0

    def _on_board(self, message: JsonMessage, at: float) -> None:
        table = message["table"]
        bets = self._bets.get(table, {})
        self._before[table] += bets.get(self._seats.get(table, -1), 0)
        self._bets[table] = {}

    def _on_acted(self, message: JsonMessage, at: float) -> None:
        table, seat = message["table"], message["seat"]
        if message["action"] != "fold":
            self._bets.setdefault(table, {})[seat] = message.get("to", 0)
        if seat == self._seats.get(table):
            key = (table, message["seq"])
            (self._turns.expired if message.get("forced") else self._turns.answered).add(key)
            turn = self.open_turns.pop(table, None)
            if message.get("forced") == "timeout" and key not in self._turns.excused:
                self.expired_turn = turn or message
            if message.get("forced") == "absent" and self.absent_action is None:
                self.absent_action = message

    def _on_turn(self, message: JsonMessage, at: float) -> None:
        self._turns.sent_turns[_key(message)] = (at, message)
        self.open_turns[message["table"]] = message
        self.reached |= {"turn-number", "table", "answers-once", "unasked", "in-time", "thinking"}
        if not message["fold"]:
            self.reached.add("fold-free")
        if message["call"]:
            self.reached.add("check-a-bet")
        if message["raise_to"] is None:
            self.reached.add("no-raise")

    def _on_match_end(self, message: JsonMessage, at: float) -> None:
        self.open_turns.pop(message["table"], None)
        if message.get("reason", "complete") == "complete":
            self.completed += 1

    # Errors.

    def _on_error(self, error: JsonMessage, at: float) -> None:
        code = error["code"]
        # After a goodbye, whatever it sends on a new connection is refused.
        if code in _EXPECTED_CODES or "goodbye" in self.events:
            return
        self.hung_up |= error.get("fatal", False)
        error_text = f"The server refused it: {code}, {error['message'].rstrip('.')}."
        if code in ("illegal_action", "stale_turn", "not_your_turn", "unknown_table"):
            self._on_refused_act(error, error_text)
        elif code == "malformed_frame":
            self._on_malformed(error_text)
        else:
            reply = self._last_replies[-1] if self._last_replies else ""
            if code == "wrong_frame_kind" and self._unreadable:
                reply = self._unreadable.popleft()
            if code == "hello_first" and not reply:
                error_text = "It connected and sent nothing."
            self.add_finding(_CODES.get(code, "refused"), error_text, self.last_sent, reply)

    def _on_malformed(self, error_text: str) -> None:
        if self._unreadable:
            self.add_finding("frames", error_text, self.last_sent, self._unreadable.popleft())
        else:
            self.add_finding(
                "fields", error_text, self.last_sent, self._last_replies[-1] if self._last_replies else ""
            )

    def _on_refused_act(self, error: JsonMessage, error_text: str) -> None:
        table, turn = error.get("table", ""), error.get("turn")
        if turn is None:
            self._on_refused_other(table, error_text)
            return
        key = (table, turn)
        tried = self._turns.acts.get(key, [])
        # The act that was carried out comes before those that were refused.
        number = self._turns.refused[key] + (key in self._turns.answered)
        act = tried[min(number, len(tried) - 1)] if tried else {}
        self._turns.refused[key] += 1
        if error["code"] == "illegal_action" and key in self._turns.sent_turns:
            bets = self._bets.get(table, {})
            mine = bets.get(self._seats.get(table, -1), 0)
            _, question = self._turns.sent_turns[key]
            check, what = explain_illegal(
                question, act, mine, max(bets.values(), default=0), self._before[table]
            )
            self.add_finding(check, what, question, act)
        elif error["code"] == "unknown_table" and key not in self._turns.sent_turns:
            meant = next((one for one in self.open_turns.values() if one["turn"] == turn), None)
            self.add_finding(
                "table" if meant or not _is_check_table(table) else "unasked",
                error_text,
                meant or self.last_sent,
                act,
            )
        else:
            self._on_closed_turn(key, act, error_text)

    def _on_refused_other(self, table: str, error_text: str) -> None:
        """Attribute an error about a message other than an act, at a table where the program has no seat."""
        reply = next((one for one in reversed(self._last_replies) if _table(one) == table), {})
        check = _TABLES.get(str(reply.get("type")), "refused")
        if check == "ready-once" and (
            self.awaiting_ready or not (table in self._seats or _is_check_table(table))
        ):
            waiting = next(iter(self.awaiting_ready), "")
            what = f"The table {waiting!r} is waiting for it. {error_text}" if waiting else error_text
            self.add_finding("table", what, self.awaiting_ready.get(waiting, self.last_sent), reply)
        else:
            self.add_finding(check, error_text, self.last_sent, reply)

    def _on_closed_turn(self, key: Key, act: JsonMessage, error_text: str) -> None:
        table, turn = key
        _, question = self._turns.sent_turns.get(key, (0.0, None))
        if question is not None and key in self._turns.answered:
            self.add_finding("answers-once", f"Turn {turn} was already answered. {error_text}", question, act)
        elif question is not None and key in self._turns.expired and not self._is_wrong_turn(key):
            if key not in self._turns.excused:
                self._report_late(question, act, error_text)
        elif table in self.open_turns:
            question = self.open_turns[table]
            self._wrong_turn_acts.append((_key(question), question, act, error_text))
        elif question is None:
            self.add_finding("unasked", f"No turn is open at this table. {error_text}", self.last_sent, act)

    def _report_late(self, question: JsonMessage, act: JsonMessage, error_text: str) -> None:
        what = f"The answer came after its time limit of {self.seconds:g} s. {error_text}"
        if self.scenario.tables > 1:
            more = "Several tables asked at once, but it did not answer all of them in time."
            self.add_finding("many-tables", f"{more} {what}", question, act)
        else:
            self.add_finding("in-time", what, question, act)

    def _is_wrong_turn(self, key: Key) -> bool:
        return any(key == other for other, *_ in self._wrong_turn_acts)


def _is_check_table(table: str) -> bool:
    """Return whether the program has played at this table, now or in an earlier scenario."""
    return table.rsplit("/", 1)[0] in {scenario.id for scenario in SCENARIOS}


def _table(message: JsonMessage) -> str:
    """Return the table that a client message names, or an empty string."""
    table = message.get("table")
    return table if isinstance(table, str) else ""


def _key(message: JsonMessage) -> Key:
    turn = message.get("turn")
    return _table(message), turn if isinstance(turn, int) else -1


def _is_act(message: JsonMessage) -> bool:
    """Return whether the message can be decoded as an act; only then have the rules seen it."""
    try:
        msgspec.convert(message, Act)
    except msgspec.ValidationError:
        return False
    return True
