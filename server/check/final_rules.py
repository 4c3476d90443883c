"""What a conversation says as a whole: whether it came to its end, and how the program left. Pure."""

from __future__ import annotations

from typing import Any

from server.check.live_rules import BREAKS, Judge
from server.check.model import Finding, Severity
from server.check.scenarios import BASE
from server.check.wire_variants import PLAIN

__all__ = ["endings"]

#: Connections in a second that are no storm.
_TRIES = 4


def endings(one: Judge) -> None:
    """Add what is found when all is said."""
    if "started" in one.events and not one.counts["welcome"]:
        if not one.findings and one.scene.ending != "turned away":
            _no_hello(one)
        if one.scene.ending != "turned away":
            return
    scene = one.scene
    if scene.plan is not None:
        _the_match(one)
    special = _SPECIAL.get(scene.id)
    if special is not None:
        special(one)
    if "goodbye" in one.events:
        _goodbye(one)


def _no_hello(one: Judge) -> None:
    handshake = one.events.get("handshake")
    ended = _ended(one)
    if handshake is not None and handshake["taken"] is None:
        one.found("subprotocol", f"It offered {handshake['offered']!r} alone.")
    elif "connected" not in one.events:
        one.found("connect", f"{ended} before it connected." if ended else _gave_up(one))
    elif not any(finding.check == "hello-first" for finding in one.findings):
        one.found("hello-first", f"It connected. {ended} before it said hello." if ended else _gave_up(one))


def _gave_up(one: Judge) -> str:
    why: str = one.events.get("gave up", {}).get("why", "it did not say hello")
    return f"{why[:1].upper()}{why[1:]}."


def _ended(one: Judge) -> str:
    event = one.events.get("exited")
    if event is None:
        return ""
    code = event["code"]
    how = (
        f"was killed by signal {-code}"
        if isinstance(code, int) and code < 0
        else f"ended with exit code {code}"
    )
    return f"It {how}"


def _the_match(one: Judge) -> None:
    """Whether the tables of the scene were played to their end."""
    scene = one.scene
    if one.missed and not any(map(_blocks, one.findings)):
        one.found(scene.id, f"No answer came within {one.seconds:g} s.", one.missed)
    if _came_through(one):
        one.reached.add(scene.id)
        for message in one.owed.values():
            one.found("ready", "It played on without saying ready.", message)
        return
    if _takes_its_leave(one):
        return
    ended = _ended(one)
    if one.hung_up:
        return
    if ended:
        what = _WHERE.get(scene.id, "in the middle of a match")
        one.found(scene.id, f"{ended} {what}.", one.last_sent, severity=_severity_of_leaving(one))
    elif not any(_blocks(finding) for finding in one.findings):
        _silent(one)


def _came_through(one: Judge) -> bool:
    if one.scene.plan is not None and one.scene.plan.open:
        return "goodbye" in one.events
    return one.completed > 0 and not {"gave up", "exited"} & set(one.events)


def _takes_its_leave(one: Judge) -> bool:
    """Whether the end of the process is what the scene is about."""
    return any(event in one.events for event in ("shutdown", "replace"))


def _lost(one: Judge) -> bool:
    return bool(BREAKS & one.events.keys())


def _severity_of_leaving(one: Judge) -> Severity | None:
    """To end when the connection breaks, or after a match, is no fault of a bot that is started for each."""
    return "advice" if _lost(one) or (one.scene.id == "next-match" and one.completed == 1) else None


_WHERE = {
    "resume": "when the connection broke, and did not come back",
    "resume-later": "when the connection broke, and did not come back",
    "restart": "when the server closed the connection with code 1001 to start again, and did not come back",
    "next-match": "after a match, where another one followed",
}


def _blocks(finding: Finding) -> bool:
    """Whether this explains why nothing more came."""
    return finding.check not in ("thinking", "answers-once")


def _silent(one: Judge) -> None:
    scene = one.scene
    closed = one.events.get("closed", {"ours": True})
    if not closed["ours"]:
        how = "without a closing frame" if closed["code"] is None else f"with code {closed['code']}"
        one.found(scene.id, f"The connection was closed from its side, {how}.", one.last_sent)
    elif _lost(one) and not one.counts["returned"]:
        how = "was closed with code 1001" if "restart" in one.events else "broke"
        one.found(scene.id, f"The connection {how}, and it did not come back, though it went on running.")
    elif one.owed and not one.counts["C act"]:
        check = "ready" if scene.id == BASE or scene.style == PLAIN else scene.id
        one.found(check, f"No ready came within {one.seconds:g} s.", next(iter(one.owed.values())))
    else:
        one.found(scene.id, f"No answer came within {one.seconds:g} s.", one.last_sent)


def _ping(one: Judge) -> None:
    if not one.counts["pong"]:
        one.reached.discard("ping")
        one.found("ping", "Pings were sent with every message, and none was answered.")


def _back(one: Judge) -> None:
    if one.absent is None:
        one.reached.discard("back")
    elif not one.counts["C back"]:
        one.found("back", "It was sat out after a turn that ran out, and never said back.", one.absent)


def _company(one: Judge) -> None:
    if one.counts["C join"]:
        one.reached.add("join")
    elif "seated" in one.events:
        one.found("join", "welcome.tables had a table with free seats, and no join came.")


def _reset(one: Judge) -> None:
    first, second = ([*one.rounds, [], []])[:2]
    if "reset" not in one.reached:
        return
    for before, after in zip(first, second, strict=False):
        if _play(before) != _play(after):
            what = "After a reset, with the same seed, cards and opponents, it played otherwise."
            one.found("reset", what, before, after)
            return


def _play(act: dict[str, Any]) -> tuple[Any, ...]:
    return tuple(act.get(field) for field in ("turn", "action", "to"))


def _replaced(one: Judge) -> None:
    if "replace" not in one.events:
        return
    one.reached.add("replaced")
    if one.counts["came back"]:
        one.found("replaced", "It was replaced by a newer connection, and came back to replace that one.")


def _turned_away(one: Judge) -> None:
    one.reached.add("turned-away")
    if one.counts["connected"] > _TRIES:
        one.found(
            "turned-away", f"It was refused, and connected {one.counts['connected']} times in a second."
        )


def _shutdown(one: Judge) -> None:
    if "shutdown" not in one.events:
        return
    one.reached.add("shutdown")
    if "still running" in one.events:
        one.found("shutdown", "The server was gone, and it still ran two seconds later.")


_SPECIAL = {
    "ping": _ping,
    "back": _back,
    "company": _company,
    "reset": _reset,
    "replaced": _replaced,
    "turned-away": _turned_away,
    "shutdown": _shutdown,
}


def _goodbye(one: Judge) -> None:
    closed = "The connection was closed with code 1000, and it"
    again = " connected again" if one.counts["came back"] else ""
    if "still running" in one.events:
        one.found("goodbye", f"{closed}{again and again + ' and'} still ran two seconds later.")
        return
    one.reached.add("goodbye")
    if again:
        one.found("goodbye", f"{closed}{again} before it ended.", severity="advice")
    code = one.events.get("exited", {}).get("code")
    # Elsewhere its answer to an open turn may have been under way.
    if code and one.scene.plan is None:
        what = f"{_ended(one)} when it was told goodbye; 0 would say that all went well."
        one.found("goodbye", what, severity="advice")
    left = one.events.get("left behind", {}).get("processes", [])
    one.reached.add("orphans")
    if left:
        one.found("orphans", f"It ended, and {len(left)} of its processes did not: {'; '.join(left)}.")
