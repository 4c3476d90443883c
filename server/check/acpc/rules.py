"""What is wrong with a match that an ACPC program played: a fold over its entries. Pure."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from protocol.acpc import MAX_LINE, VERSION, is_comment, parse_version
from server.check.acpc.scenarios import AcpcScenario
from server.check.model import CheckFinding, ScenarioResult, Severity, TranscriptEntry, shorten

__all__ = ["evaluate_acpc"]

Message = dict[str, Any]

#: Of the time for an answer: from here on it is close.
_CLOSE = 0.5


def evaluate_acpc(
    scenario: AcpcScenario,
    seconds: float,
    entries: Sequence[TranscriptEntry],
    last_words: str = "",
    *,
    whole: bool = True,
) -> ScenarioResult:
    """What is found in the conversation of a match; ``seconds`` is the time for each answer. Unless the
    conversation is ``whole``, what is missing is no fault.
    """
    one = _AcpcEvaluation(scenario, seconds)
    for entry in entries:
        one.process(entry)
    if whole:
        one.finish()
    ended = {"gave up", "still running"} & set(one.events) or one.events.get("exited", {}).get("code")
    return ScenarioResult(scenario.id, one.findings, one.reached, entries, last_words if ended else "")


class _AcpcEvaluation:
    def __init__(self, scenario: AcpcScenario, seconds: float) -> None:
        self.scene = scenario
        self.seconds = seconds
        self.findings: list[CheckFinding] = []
        self.reached: set[str] = set()
        self.events: dict[str, Message] = {}
        self._version = False
        #: Every line it was shown: whether it was asked for an answer, and had folded by then.
        self._shown: dict[str, tuple[bool, bool]] = {}
        self._asked: tuple[float, str] | None = None
        self._last_shown = ""
        self._said = ""
        self._folded = False
        self._slowest: tuple[float, str] = (0.0, "")
        #: What is found in answers to earlier states, unless it answers none of the later ones either.
        self._stale: list[CheckFinding] = []

    def add_finding(
        self, check: str, what: str, sent: str = "", came: str = "", *, severity: Severity | None = None
    ) -> None:
        self.findings.append(CheckFinding(check, what, shorten(sent), shorten(came), severity))

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

    def _on_server_line(self, message: Message, at: float) -> None:
        line = message["line"]
        self._shown[line] = (message["asked"], self._folded)
        self._last_shown = line
        if message["asked"]:
            self._asked = (at, line)
            self.reached |= {"echo", "colon", "action", "once", "in-time", "thinking", "exact"}
            self.reached |= {"no-line-end", "line-end"}
        else:
            self.reached.add("folded" if self._folded else "silent")
        if message["final"]:
            self._folded = False

    # What it said.

    def _on_client_line(self, line: str, at: float) -> None:
        self._said = line.rstrip("\r\n")
        if not line.endswith("\n") and len(line) < MAX_LINE:
            end = "ends with a carriage return alone" if line.endswith("\r") else "has no end"
            asked = self._asked[1] if self._asked else ""
            what = f"The line {end}; a dealer waits for a new line until the time is over."
            self.add_finding("no-line-end", what, asked, repr(line[-120:]))
        if not self._version:
            self._version = True
            self._check_version(line)
        elif not is_comment(line.encode("latin-1")):
            if line.endswith("\n") and not line.endswith("\r\n"):
                self.add_finding("line-end", "The line ends otherwise.", came=repr(line[-20:]))
            if self._asked is not None and line.endswith("\n"):
                self._slowest = max(self._slowest, (at - self._asked[0], self._asked[1]))

    def _check_version(self, line: str) -> None:
        version = parse_version(line)
        if version is None:
            self.add_finding(
                "version", "The first line names no version; a dealer ends the match.", came=line.rstrip()
            )
        elif version != VERSION or not line.startswith("VERSION:2.0.0"):
            self.add_finding("version", "The version is not 2.0.0.", came=line.rstrip(), severity="advice")
        self.reached.add("version")

    # What the dealer's rules make of it.

    def _on_ruling(self, judged: Message) -> None:
        fault = judged["fault"]
        if fault in ("bad_state", "unrequested"):
            self._check_ignored_line(fault, early=judged["early"])
            return
        self._report_stale()
        action = self._action()
        self._mark_reached(judged, action)
        if fault == "bad_action":
            self._report("colon", "The dealer finds no action behind the state, and makes a call of it.")
        elif fault == "invalid_action":
            self._report(*_invalid(judged, action))
        elif fault == "raise_adjusted":
            self._report("amount", _amount(judged))
        elif fault == "inexact":
            self._report("exact", "It is right, but spelled otherwise.")
        if judged["action"] == "fold":
            self._folded = True
        self._asked = None

    def _report(self, check: str, what: str) -> None:
        self.add_finding(check, what, self._asked[1] if self._asked else "", self._said)

    def _action(self) -> str:
        """The action as it was spelled."""
        return self._said.rsplit(":", 1)[-1][:1].lower() if ":" in self._said else ""

    def _mark_reached(self, judged: Message, action: str) -> None:
        if not judged["fold"]:
            self.reached.add("fold-free")
        if judged["raises"] is None:
            self.reached.add("no-raise")
        if judged["action"] == "raise":
            self.reached.add("amount")

    def _check_ignored_line(self, fault: str, *, early: bool) -> None:
        state = self._said.rsplit(":", 1)[0]
        known = self._shown.get(state) or self._shown.get(self._said)
        asked = self._asked[1] if self._asked else ""
        if known is None or state == asked:
            what = f"{_unknown(state, self._shown, fault)}; a dealer passes over it."
            self.add_finding("echo", what, asked, self._said)
            return
        check, what = "silent", "It was not to act, and answered."
        if known[0]:
            check, what = "once", "It answered this state twice."
        elif known[1]:
            check, what = "folded", "It had folded, and answered."
        finding = CheckFinding(check, what, shorten(state), shorten(self._said))
        (self.findings if early else self._stale).append(finding)

    def _report_stale(self) -> None:
        """Its answers are right: what it said besides was too much."""
        self.findings += self._stale
        self._stale = []

    # What it comes to.

    def finish(self) -> None:
        if self._slowest[0] > _CLOSE * self.seconds and "late" not in self.events:
            what = f"The slowest answer took {self._slowest[0]:.2f} s of {self.seconds:g} s."
            self.add_finding("thinking", what, self._slowest[1])
        if "connected" not in self.events:
            self.add_finding("connect", _exit_text(self.events) or _timeout_text(self.events))
        elif not self._version:
            self.add_finding("version", _exit_text(self.events) or _timeout_text(self.events))
        elif self.scene.cut and "closed" not in self.events and "gave up" not in self.events:
            self._check_exit(self.scene.id)
        elif "complete" in self.events:
            self.reached.add(self.scene.id)
            self._check_exit("ends")
        else:
            self._check_unfinished()

    def _check_exit(self, check: str) -> None:
        self.reached.add(check)
        if "still running" in self.events:
            self.add_finding(check, "The connection was closed, and it still ran two seconds later.")
            return
        code = self.events["exited"]["code"]
        if code and check == "ends":
            what = f"{_exit_text(self.events)[:-1]} after the match; 0 would say that all went well."
            self.add_finding(check, what, severity="advice")
        left = self.events["left behind"]["processes"]
        self.reached.add("orphans")
        if left:
            self.add_finding(
                "orphans", f"It ended, and {len(left)} of its processes did not: {'; '.join(left)}."
            )

    def _check_unfinished(self) -> None:
        """The match did not come to its end."""
        check = self.scene.id
        if self._stale and not {"late", "closed"} & set(self.events):
            what = "It answered a state that was sent before, and not this one; a dealer passes over it."
            self.add_finding("echo", what, self._last_shown, self._stale[-1].reply)
            self._stale = []
        self._report_stale()
        if "late" in self.events:
            self.add_finding(
                "in-time", f"The answer came after {self.seconds:g} s.", self._last_shown, self._said
            )
        elif "closed" in self.events:
            what = _exit_text(self.events) or "It closed the connection."
            self.add_finding(check, f"{what[:-1]} in the middle of the match.", self._last_shown)
        elif not any(finding.check not in ("thinking", "line-end") for finding in self.findings):
            self.add_finding(check, f"No answer came within {self.seconds:g} s.", self._last_shown)


def _exit_text(events: dict[str, Message]) -> str:
    if "exited" not in events:
        return ""
    code = events["exited"]["code"]
    return f"It was killed by signal {-code}." if code < 0 else f"It ended with exit code {code}."


def _timeout_text(events: dict[str, Message]) -> str:
    why: str = events.get("gave up", {}).get("why", "it closed the connection")
    return f"{why[:1].upper()}{why[1:]}."


def _unknown(state: str, shown: Collection[str], fault: str) -> str:
    if not state:
        return "An empty line is no state"
    if state.lstrip() in shown:
        return "The line begins with a blank"
    return f"The line is {'no state of this game' if fault == 'bad_state' else 'not the state that was sent'}"


def _invalid(judged: Message, action: str) -> tuple[str, str]:
    if action == "f":
        return "fold-free", "It folded with nothing to call; the dealer makes a check of it."
    if action in ("r", "b"):
        return "no-raise", "It raised where no raise is allowed; the dealer makes a call of it."
    return "action", f"The dealer does not know the action {action!r}, and makes a call of it."


def _amount(judged: Message) -> str:
    said, (least, most) = judged["said"], judged["raises"]
    what = f"It raised to {said}, where {least} to {most} is allowed; the dealer takes {judged['total']}."
    start, mine, top = judged["start"], judged["spent"], judged["most"]
    if said < least:
        if start and least <= said + start <= most:
            right = f"{said} + {start} = {said + start} would be right"
            return f"{what} It seems to count this street alone: {right}."
        if said <= top and least <= said + top <= most:
            return f"{what} It seems to say by how much: {said} + {top} = {said + top} would be right."
        if mine and least <= said + mine <= most:
            return f"{what} It seems to say what it adds: {said} + {mine} = {said + mine} would be right."
    return what
