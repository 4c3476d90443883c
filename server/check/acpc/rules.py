"""What is wrong with a match that an ACPC program played: a fold over its entries. Pure."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from protocol.acpc import MAX_LINE, VERSION, is_comment, parse_version
from server.check.acpc.checks import NO_STATE
from server.check.acpc.scenarios import AcpcScene
from server.check.model import Entry, Finding, Played, Severity, short

__all__ = ["judge_acpc"]

Message = dict[str, Any]

#: Of the time for an answer: from here on it is close.
_CLOSE = 0.5


def judge_acpc(
    scene: AcpcScene, seconds: float, entries: Sequence[Entry], last_words: str = "", *, whole: bool = True
) -> Played:
    """What is found in the conversation of a match; ``seconds`` is the time for each answer. Unless the
    conversation is ``whole``, what is missing is no fault.
    """
    one = _Judge(scene, seconds)
    for entry in entries:
        one.take(entry)
    if whole:
        one.end()
    ended = {"gave up", "still running"} & set(one.events) or one.events.get("exited", {}).get("code")
    return Played(scene.id, one.findings, one.reached, entries, last_words if ended else "")


class _Judge:
    def __init__(self, scene: AcpcScene, seconds: float) -> None:
        self.scene = scene
        self.seconds = seconds
        self.findings: list[Finding] = []
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
        self._stale: list[Finding] = []

    def found(
        self,
        check: str,
        what: str,
        sent: str = "",
        came: str = "",
        *,
        severity: Severity | None = None,
        says: str = "",
    ) -> None:
        self.findings.append(Finding(check, what, short(sent), short(came), severity, says))

    def take(self, entry: Entry) -> None:
        if entry.who == "S":
            self._show(entry.message, entry.at)
        elif entry.who == "C":
            self._hear(entry.message["line"], entry.at)
        else:
            name = entry.message["event"]
            self.events[name] = entry.message
            if name == "judged":
                self._judged(entry.message)
            elif name == "connected":
                self.reached.add("connect")

    def _show(self, message: Message, at: float) -> None:
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

    def _hear(self, line: str, at: float) -> None:
        self._said = line.rstrip("\r\n")
        if not line.endswith("\n") and len(line) < MAX_LINE:
            end = "ends with a carriage return alone" if line.endswith("\r") else "has no end"
            asked = self._asked[1] if self._asked else ""
            what = f"The line {end}; a dealer waits for a new line until the time is over."
            self.found("no-line-end", what, asked, repr(line[-120:]))
        if not self._version:
            self._version = True
            self._first(line)
        elif not is_comment(line.encode("latin-1")):
            if line.endswith("\n") and not line.endswith("\r\n"):
                self.found("line-end", "The line ends otherwise.", came=repr(line[-20:]))
            if self._asked is not None and line.endswith("\n"):
                self._slowest = max(self._slowest, (at - self._asked[0], self._asked[1]))

    def _first(self, line: str) -> None:
        version = parse_version(line)
        if version is None:
            self.found(
                "version", "The first line names no version; a dealer ends the match.", came=line.rstrip()
            )
        elif version != VERSION or not line.startswith("VERSION:2.0.0"):
            self.found("version", "The version is not 2.0.0.", came=line.rstrip(), severity="advice")
        self.reached.add("version")

    # What the dealer's rules make of it.

    def _judged(self, judged: Message) -> None:
        fault = judged["fault"]
        if fault in ("bad_state", "unrequested"):
            self._passed_over(fault, early=judged["early"])
            return
        self._settle()
        action = self._action()
        self._reach(judged, action)
        if fault == "bad_action":
            self._tell("colon", "The dealer finds no action behind the state, and makes a call of it.")
        elif fault == "invalid_action":
            self._tell(*_invalid(judged, action))
        elif fault == "raise_adjusted":
            self._tell("amount", _amount(judged))
        elif fault == "inexact":
            self._tell("exact", "It is right, but spelled otherwise.")
        if judged["action"] == "fold":
            self._folded = True
        self._asked = None

    def _tell(self, check: str, what: str) -> None:
        self.found(check, what, self._asked[1] if self._asked else "", self._said)

    def _action(self) -> str:
        """The action as it was spelled."""
        return self._said.rsplit(":", 1)[-1][:1].lower() if ":" in self._said else ""

    def _reach(self, judged: Message, action: str) -> None:
        if not judged["fold"]:
            self.reached.add("fold-free")
        if judged["raises"] is None:
            self.reached.add("no-raise")
        if judged["action"] == "raise":
            self.reached.add("amount")

    def _passed_over(self, fault: str, *, early: bool) -> None:
        state = self._said.rsplit(":", 1)[0]
        known = self._shown.get(state) or self._shown.get(self._said)
        asked = self._asked[1] if self._asked else ""
        if known is None or state == asked:
            says = NO_STATE if fault == "bad_state" else ""
            what = f"{_unknown(state, self._shown, says)}; a dealer passes over it."
            self.found("echo", what, asked, self._said, says=says)
            return
        check, what = "silent", "It was not to act, and answered."
        if known[0]:
            check, what = "once", "It answered this state twice."
        elif known[1]:
            check, what = "folded", "It had folded, and answered."
        finding = Finding(check, what, short(state), short(self._said))
        (self.findings if early else self._stale).append(finding)

    def _settle(self) -> None:
        """Its answers are right: what it said besides was too much."""
        self.findings += self._stale
        self._stale = []

    # What it comes to.

    def end(self) -> None:
        if self._slowest[0] > _CLOSE * self.seconds and "late" not in self.events:
            what = f"The slowest answer took {self._slowest[0]:.2f} s of {self.seconds:g} s."
            self.found("thinking", what, self._slowest[1])
        if "connected" not in self.events:
            self.found("connect", _ended(self.events) or _gave_up(self.events))
        elif not self._version:
            self.found("version", _ended(self.events) or _gave_up(self.events))
        elif self.scene.cut and "closed" not in self.events and "gave up" not in self.events:
            self._took_leave(self.scene.id)
        elif "complete" in self.events:
            self.reached.add(self.scene.id)
            self._took_leave("ends")
        else:
            self._stopped()

    def _took_leave(self, check: str) -> None:
        self.reached.add(check)
        if "still running" in self.events:
            self.found(check, "The connection was closed, and it still ran two seconds later.")
            return
        code = self.events["exited"]["code"]
        if code and check == "ends":
            what = f"{_ended(self.events)[:-1]} after the match; 0 would say that all went well."
            self.found(check, what, severity="advice")
        left = self.events["left behind"]["processes"]
        self.reached.add("orphans")
        if left:
            self.found("orphans", f"It ended, and {len(left)} of its processes did not: {'; '.join(left)}.")

    def _stopped(self) -> None:
        """The match did not come to its end."""
        check = self.scene.id
        if self._stale and not {"late", "closed"} & set(self.events):
            what = "It answered a state that was sent before, and not this one; a dealer passes over it."
            self.found("echo", what, self._last_shown, self._stale[-1].came)
            self._stale = []
        self._settle()
        if "late" in self.events:
            self.found("in-time", f"The answer came after {self.seconds:g} s.", self._last_shown, self._said)
        elif "closed" in self.events:
            what = _ended(self.events) or "It closed the connection."
            self.found(check, f"{what[:-1]} in the middle of the match.", self._last_shown)
        elif not any(finding.check not in ("thinking", "line-end") for finding in self.findings):
            self.found(check, f"No answer came within {self.seconds:g} s.", self._last_shown)


def _ended(events: dict[str, Message]) -> str:
    if "exited" not in events:
        return ""
    code = events["exited"]["code"]
    return f"It was killed by signal {-code}." if code < 0 else f"It ended with exit code {code}."


def _gave_up(events: dict[str, Message]) -> str:
    why: str = events.get("gave up", {}).get("why", "it closed the connection")
    return f"{why[:1].upper()}{why[1:]}."


def _unknown(state: str, shown: Collection[str], none: str) -> str:
    if not state:
        return "An empty line is no state"
    if state.lstrip() in shown:
        return "The line begins with a blank"
    return f"The line is {'no state of this game' if none else 'not the state that was sent'}"


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
