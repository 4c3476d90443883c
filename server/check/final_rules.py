"""Evaluates a whole transcript: was the scenario completed, and how did the program exit? No I/O."""

from __future__ import annotations

from typing import Any

from server.check.live_rules import CONNECTION_BREAKS, Evaluation
from server.check.model import CheckFinding, Severity
from server.check.scenarios import BASE
from server.check.wire_variants import PLAIN

#: More connections per second than this are a flood.
_MAX_CONNECTS = 4


class WholeEvaluation(Evaluation):
    """The evaluation of one scenario and of its end."""

    def finish(self) -> None:
        super().finish()
        _evaluate_ending(self)


def _evaluate_ending(evaluation: Evaluation) -> None:
    """Add the findings that only show at the end."""
    if "started" in evaluation.events and not evaluation.counts["welcome"]:
        if not evaluation.findings and evaluation.scenario.ending != "turned away":
            _report_no_hello(evaluation)
        if evaluation.scenario.ending != "turned away":
            return
    scenario = evaluation.scenario
    if scenario.setup is not None:
        _check_match(evaluation)
    special = _CHECKS.get(scenario.id)
    if special is not None:
        special(evaluation)
    if "goodbye" in evaluation.events:
        _check_goodbye(evaluation)


def _report_no_hello(one: Evaluation) -> None:
    handshake = one.events.get("handshake")
    ended, waited = one.exit_text(), one.give_up_text("it did not send hello")
    if handshake is not None and handshake["taken"] is None:
        one.add_finding("subprotocol", f"It offered only {handshake['offered']!r}.")
    elif "connected" not in one.events:
        one.add_finding("connect", f"{ended} before it connected." if ended else waited)
    elif not any(finding.check == "hello-first" for finding in one.findings):
        what = f"It connected. {ended} before it sent hello." if ended else waited
        one.add_finding("hello-first", what)


def _check_match(one: Evaluation) -> None:
    """Check whether the tables of the scenario were played to their end."""
    scenario = one.scenario
    if one.expired_turn and not any(map(_explains_silence, one.findings)):
        one.add_finding(scenario.id, f"No answer came within {one.seconds:g} s.", one.expired_turn)
    if _completed(one):
        one.reached.add(scenario.id)
        for message in one.awaiting_ready.values():
            one.add_finding("ready", "It played without sending ready.", message)
        return
    if _exit_expected(one):
        return
    ended = one.exit_text()
    if one.hung_up:
        return
    if ended:
        what = _WHERE.get(scenario.id, "in the middle of a match")
        one.add_finding(scenario.id, f"{ended} {what}.", one.last_sent, severity=_exit_severity(one))
    elif not any(_explains_silence(finding) for finding in one.findings):
        _report_silence(one)


def _completed(one: Evaluation) -> bool:
    if one.scenario.setup is not None and one.scenario.setup.open:
        return "goodbye" in one.events
    return one.completed > 0 and not {"gave up", "exited"} & set(one.events)


def _exit_expected(one: Evaluation) -> bool:
    """Return whether the scenario expects the process to exit."""
    return any(event in one.events for event in ("shutdown", "replace"))


def _connection_broken(one: Evaluation) -> bool:
    return bool(CONNECTION_BREAKS & one.events.keys())


def _exit_severity(one: Evaluation) -> Severity | None:
    """Return ``advice`` for an exit after a broken connection or a match: that is no fault of a bot that is
    started for each match.
    """
    return (
        "advice"
        if _connection_broken(one) or (one.scenario.id == "next-match" and one.completed == 1)
        else None
    )


_WHERE = {
    "resume": "when the connection broke, and did not reconnect",
    "resume-later": "when the connection broke, and did not reconnect",
    "restart": "when the server restarted and closed the connection with code 1001, and did not reconnect",
    "next-match": "after a match although another one followed",
}


def _explains_silence(finding: CheckFinding) -> bool:
    """Return whether this finding explains why no more messages arrived."""
    return finding.check not in ("thinking", "answers-once")


def _report_silence(one: Evaluation) -> None:
    scenario = one.scenario
    closed = one.events.get("closed", {"ours": True})
    if not closed["ours"]:
        how = "without a closing frame" if closed["code"] is None else f"with code {closed['code']}"
        one.add_finding(scenario.id, f"It closed the connection {how}.", one.last_sent)
    elif _connection_broken(one) and not one.counts["returned"]:
        how = "was closed with code 1001" if "restart" in one.events else "broke"
        one.add_finding(scenario.id, f"The connection {how}; the program kept running but did not reconnect.")
    elif one.awaiting_ready and not one.counts["C act"]:
        check = "ready" if scenario.id == BASE or scenario.variant == PLAIN else scenario.id
        one.add_finding(
            check, f"No ready came within {one.seconds:g} s.", next(iter(one.awaiting_ready.values()))
        )
    else:
        one.add_finding(scenario.id, f"No answer came within {one.seconds:g} s.", one.last_sent)


def _check_ping(one: Evaluation) -> None:
    if not one.counts["pong"]:
        one.reached.discard("ping")
        one.add_finding("ping", "Pings were sent with every message, but none was answered.")


def _check_back(one: Evaluation) -> None:
    if one.absent_action is None:
        one.reached.discard("back")
    elif not one.counts["C back"]:
        one.add_finding("back", "It was sat out after a timeout and never sent back.", one.absent_action)


def _check_company(one: Evaluation) -> None:
    if one.counts["C join"]:
        one.reached.add("join")
    elif "seated" in one.events:
        one.add_finding("join", "welcome.tables listed a table with free seats, but it sent no join.")


def _check_reset(one: Evaluation) -> None:
    first, second = ([*one.acts_by_match, [], []])[:2]
    if "reset" not in one.reached:
        return
    for before, after in zip(first, second, strict=False):
        if _play(before) != _play(after):
            what = "After a reset, with the same seed, cards and opponents, it played differently."
            one.add_finding("reset", what, before, after)
            return


def _play(act: dict[str, Any]) -> tuple[Any, ...]:
    return tuple(act.get(field) for field in ("turn", "action", "to"))


def _check_replaced(one: Evaluation) -> None:
    if "replace" not in one.events:
        return
    one.reached.add("replaced")
    if one.counts["came back"]:
        one.add_finding(
            "replaced", "It was replaced by a newer connection, then reconnected and replaced that one."
        )


def _check_turned_away(one: Evaluation) -> None:
    one.reached.add("turned-away")
    if one.counts["connected"] > _MAX_CONNECTS:
        one.add_finding(
            "turned-away", f"It was refused and connected {one.counts['connected']} times in a second."
        )


def _check_shutdown(one: Evaluation) -> None:
    if "shutdown" not in one.events:
        return
    one.reached.add("shutdown")
    if "still running" in one.events:
        one.add_finding("shutdown", "It was still running two seconds after the server shut down.")


_CHECKS = {
    "ping": _check_ping,
    "back": _check_back,
    "company": _check_company,
    "reset": _check_reset,
    "replaced": _check_replaced,
    "turned-away": _check_turned_away,
    "shutdown": _check_shutdown,
}


def _check_goodbye(one: Evaluation) -> None:
    closed = "The connection was closed with code 1000, but it"
    again = " reconnected" if one.counts["came back"] else ""
    if "still running" in one.events:
        one.add_finding("goodbye", f"{closed}{again and again + ' and'} was still running two seconds later.")
        return
    one.reached.add("goodbye")
    if again:
        one.add_finding("goodbye", f"{closed}{again} before it exited.", severity="advice")
    code = one.events.get("exited", {}).get("code")
    # In other scenarios, its answer to an open turn may have been on its way.
    if code and one.scenario.setup is None:
        what = f"{one.exit_text()} after an orderly close; 0 would mean success."
        one.add_finding("goodbye", what, severity="advice")
    one.check_orphans()
