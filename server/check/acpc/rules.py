"""Evaluates a match of an ACPC program, entry by entry. No I/O."""

from __future__ import annotations

from collections.abc import Collection

from protocol.acpc import MAX_LINE, VERSION, is_comment, parse_version
from server.check.acpc.scenarios import AcpcScenario
from server.check.evaluation import TranscriptEvaluation
from server.check.model import CheckFinding, JsonMessage, TranscriptEntry, shorten


class AcpcEvaluation(TranscriptEvaluation):
    """The evaluation of a match; ``seconds`` is the time for each answer."""

    def __init__(self, scenario: AcpcScenario, seconds: float) -> None:
        super().__init__(scenario.id, seconds)
        self.scenario = scenario
        self._version = False
        #: Every line it was sent: whether it had to answer, and whether it had folded by then.
        self._shown: dict[str, tuple[bool, bool]] = {}
        self._open_state: tuple[float, str] | None = None
        self._last_shown = ""
        self._reply = ""
        self._folded = False
        self._slowest: tuple[float, str] = (0.0, "")
        #: Findings about answers to earlier states, dropped if it never answers the current one.
        self._stale: list[CheckFinding] = []

    def process(self, entry: TranscriptEntry) -> None:
        if entry.who == "S":
            self._on_server_line(entry.message, entry.at)
        elif entry.who == "C":
            self._on_client_line(entry.message["line"], entry.at)
        else:
            name = entry.message["event"]
            self.events[name] = entry.message
            if name == "judged":
                self._on_ruling(entry.message)
            elif name == "connected":
                self.reached.add("connect")

    def _on_server_line(self, message: JsonMessage, at: float) -> None:
        line = message["line"]
        self._shown[line] = (message["asked"], self._folded)
        self._last_shown = line
        if message["asked"]:
            self._open_state = (at, line)
            self.reached |= {"echo", "colon", "action", "once", "in-time", "thinking", "exact"}
            self.reached |= {"no-line-end", "line-end"}
        else:
            self.reached.add("folded" if self._folded else "silent")
        if message["final"]:
            self._folded = False

    # Lines of the program.

    def _on_client_line(self, line: str, at: float) -> None:
        self._reply = line.rstrip("\r\n")
        if not line.endswith("\n") and len(line) < MAX_LINE:
            end = "ends with a carriage return only" if line.endswith("\r") else "has no line end"
            sent = self._open_state[1] if self._open_state else ""
            what = f"The line {end}; a dealer waits for the newline until the time is over."
            self.add_finding("no-line-end", what, sent, repr(line[-120:]))
        if not self._version:
            self._version = True
            self._check_version(line)
        elif not is_comment(line.encode("latin-1")):
            if line.endswith("\n") and not line.endswith("\r\n"):
                self.add_finding("line-end", "The line does not end with \\r\\n.", reply=repr(line[-20:]))
            if self._open_state is not None and line.endswith("\n"):
                self._slowest = max(self._slowest, (at - self._open_state[0], self._open_state[1]))

    def _check_version(self, line: str) -> None:
        version = parse_version(line)
        if version is None:
            self.add_finding(
                "version", "The first line is not a version; a dealer ends the match.", reply=line.rstrip()
            )
        elif version != VERSION or not line.startswith("VERSION:2.0.0"):
            self.add_finding("version", "The version is not 2.0.0.", reply=line.rstrip(), severity="advice")
        self.reached.add("version")

    # Rulings of the dealer.

    def _on_ruling(self, judged: JsonMessage) -> None:
        fault = judged["fault"]
        if fault in ("bad_state", "unrequested"):
            self._check_ignored_line(fault, early=judged["early"])
            return
        self._report_stale()
        action = self._action()
        self._mark_reached(judged)
        if fault == "bad_action":
            self._report("colon", "The dealer finds no action after the state and plays a call.")
        elif fault == "invalid_action":
            self._report(*_invalid(action))
        elif fault == "raise_adjusted":
            self._report("amount", _amount(judged))
        elif fault == "inexact":
            self._report("exact", "It is correct, but not in the exact form.")
        if judged["action"] == "fold":
            self._folded = True
        self._open_state = None

    def _report(self, check: str, what: str) -> None:
        self.add_finding(check, what, self._open_state[1] if self._open_state else "", self._reply)

    def _action(self) -> str:
        """Return the letter of the action as sent."""
        return self._reply.rsplit(":", 1)[-1][:1].lower() if ":" in self._reply else ""

    def _mark_reached(self, judged: JsonMessage) -> None:
        if not judged["fold"]:
            self.reached.add("fold-free")
        if judged["raises"] is None:
            self.reached.add("no-raise")
        if judged["action"] == "raise":
            self.reached.add("amount")

    def _check_ignored_line(self, fault: str, *, early: bool) -> None:
        state = self._reply.rsplit(":", 1)[0]
        known = self._shown.get(state) or self._shown.get(self._reply)
        sent = self._open_state[1] if self._open_state else ""
        if known is None or state == sent:
            what = f"{_unknown(state, self._shown, fault)}; a dealer ignores it."
            self.add_finding("echo", what, sent, self._reply)
            return
        check, what = "silent", "It answered although it was not to act."
        if known[0]:
            check, what = "once", "It answered this state twice."
        elif known[1]:
            check, what = "folded", "It answered although it had folded."
        finding = CheckFinding(check, what, shorten(state), shorten(self._reply))
        (self.findings if early else self._stale).append(finding)

    def _report_stale(self) -> None:
        """Report excess answers, as it answers the current states."""
        self.findings += self._stale
        self._stale = []

    # The end of the match.

    def ended_badly(self) -> bool:
        failed = {"gave up", "still running"} & set(self.events)
        return bool(failed or self.events.get("exited", {}).get("code"))

    def finish(self) -> None:
        if "late" not in self.events:
            self.check_pace(*self._slowest)
        if not self._version:
            ended = self.exit_text()
            what = f"{ended}." if ended else self.give_up_text("it closed the connection")
            self.add_finding("version" if "connected" in self.events else "connect", what)
        elif self.scenario.cut and "closed" not in self.events and "gave up" not in self.events:
            self._check_exit(self.scenario.id)
        elif "complete" in self.events:
            self.reached.add(self.scenario.id)
            self._check_exit("ends")
        else:
            self._check_unfinished()

    def _check_exit(self, check: str) -> None:
        self.reached.add(check)
        if "still running" in self.events:
            self.add_finding(check, "It was still running two seconds after the connection was closed.")
            return
        code = self.events["exited"]["code"]
        if code and check == "ends":
            what = f"{self.exit_text()} after the match; 0 would mean success."
            self.add_finding(check, what, severity="advice")
        self.check_orphans()

    def _check_unfinished(self) -> None:
        """Report why the match was not completed."""
        check = self.scenario.id
        if self._stale and not {"late", "closed"} & set(self.events):
            what = "It answered an earlier state instead of this one; a dealer ignores that."
            self.add_finding("echo", what, self._last_shown, self._stale[-1].reply)
            self._stale = []
        self._report_stale()
        if "late" in self.events:
            self.add_finding(
                "in-time", f"The answer came after {self.seconds:g} s.", self._last_shown, self._reply
            )
        elif "closed" in self.events:
            what = self.exit_text() or "It closed the connection"
            self.add_finding(check, f"{what} in the middle of the match.", self._last_shown)
        elif not any(finding.check not in ("thinking", "line-end") for finding in self.findings):
            self.add_finding(check, f"No answer came within {self.seconds:g} s.", self._last_shown)


def _unknown(state: str, shown: Collection[str], fault: str) -> str:
    if not state:
        return "An empty line is not a state"
    if state.lstrip() in shown:
        return "The line begins with a blank"
    return (
        f"The line is {'not a state of this game' if fault == 'bad_state' else 'not the state that was sent'}"
    )


def _invalid(action: str) -> tuple[str, str]:
    if action == "f":
        return "fold-free", "It folded with nothing to call; the dealer plays a check."
    if action in ("r", "b"):
        return "no-raise", "It raised although no raise is allowed; the dealer plays a call."
    return "action", f"The dealer does not know the action {action!r} and plays a call."


def _amount(judged: JsonMessage) -> str:
    amount, (least, most) = judged["said"], judged["raises"]
    what = f"It raised to {amount}, where {least} to {most} is allowed; the dealer takes {judged['total']}."
    start, mine, top = judged["start"], judged["spent"], judged["most"]
    if amount < least:
        if start and least <= amount + start <= most:
            right = f"{amount} + {start} = {amount + start} would be right"
            return f"{what} It seems to count only this street: {right}."
        if amount <= top and least <= amount + top <= most:
            return f"{what} It seems to raise by an amount: {amount} + {top} = {amount + top} would be right."
        if mine and least <= amount + mine <= most:
            return (
                f"{what} It seems to send what it adds: {amount} + {mine} = {amount + mine} would be right."
            )
    return what
