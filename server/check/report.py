"""What was found, for people in a terminal and for programs as JSON."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from typing import Any, Final

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from server.check.model import Check, Entry, Played, Result, short
from server.check.run import Report

__all__ = ["conversation", "listing", "report_data", "show"]

_STYLES: Final = {"pass": "green", "fault": "bold red", "advice": "yellow", "not reached": "dim"}


def show(report: Report, console: Console, *, verbose: bool = False) -> None:
    """Print the conversations if they are wanted, how every check came out, and what to do about it."""
    if verbose:
        for scene in report.played:
            conversation(scene, console)
    table = Table(box=None, pad_edge=False, show_header=False)
    table.add_column(no_wrap=True)
    table.add_column(no_wrap=True)
    table.add_column()
    for result in report.results:
        title = Text(result.check.title)
        if result.status == "not reached":
            title = Text(f"{result.check.title} ({result.why})", "dim")
        table.add_row(_status(result.status), result.check.id, title)
    console.print(table)
    for status in ("advice", "fault"):
        for result in report.results:
            if result.status == status:
                _paragraph(result, console)
    console.print()
    console.print(_summary(report))
    if report.ended != "complete":
        console.print(_how_it_ended(report))


def _status(status: str) -> Text:
    return Text(status.upper(), _STYLES[status])


def _summary(report: Report) -> Text:
    counts: Counter[str] = Counter(result.status for result in report.results)
    told = {"pass": "passed", "fault": "with a fault", "advice": "with advice", "not reached": "not reached"}
    parts = ", ".join(f"{counts[status]} {words}" for status, words in told.items())
    number = len(report.results)
    return Text(f"{number} check{'s' if number > 1 else ''}: {parts}", "bold")


def _how_it_ended(report: Report) -> Text:
    """Why not everything was looked at."""
    why = {"interrupted": "Interrupted", "failed": "pokerd failed, which is no fault of the program"}
    return Text(f"{why[report.ended]}: {report.done} of {report.planned} scenes were played.", "bold red")


def _paragraph(result: Result, console: Console) -> None:
    finding, check = result.example, result.check
    assert finding is not None
    console.print()
    times = f", {result.times} times" if result.times > 1 else ""
    head = Text.assemble(_status(result.status), " ", (check.id, "bold"), f" (in {result.scene}{times})")
    console.print(head)
    grid = Table.grid(padding=(0, 2))
    grid.add_column(no_wrap=True, style="dim")
    grid.add_column(overflow="fold")
    for name, text in (
        ("found", finding.what),
        ("sent", finding.sent),
        ("came back", finding.came),
        ("document", f'{check.section}: "{finding.says or check.says}"'),
        ("to do", check.todo),
        ("its output", result.last_words if result.status == "fault" else ""),
    ):
        if text and text != '""':
            grid.add_row(name, Text(text))
    console.print(Padding(grid, (0, 0, 0, 2)))


def conversation(played: Played, console: Console) -> None:
    """Print what was said in a scene, with the seconds since it began."""
    console.print(Text(f"== {played.scene}", "bold"))
    start = played.entries[0].at if played.entries else 0.0
    for entry in played.entries:
        console.print(Text(f"{entry.at - start:7.3f} {entry.who} {_words(entry)}"))
    console.print()


def _words(entry: Entry) -> str:
    message = entry.message
    if "line" in message:
        return short(str(message["line"]).rstrip("\r\n"))
    if entry.who == "-":
        told = ("fault", "action", "total") if message["event"] == "judged" else tuple(message)[1:]
        more = ", ".join(f"{key} {message[key]}" for key in told if message.get(key) not in (None, ""))
        return f"{message['event']}{': ' if more else ''}{more}"
    return short(message)


def listing(checks: Sequence[Check], console: Console) -> None:
    """Print what is looked at, and where the documents ask for it."""
    table = Table(box=None, pad_edge=False)
    table.add_column("check", no_wrap=True)
    table.add_column("")
    table.add_column("a right program")
    table.add_column("document", no_wrap=True)
    for check in checks:
        severity = Text("advice", _STYLES["advice"]) if check.severity == "advice" else Text("")
        table.add_row(Text(check.id), severity, Text(check.title), Text(check.section))
    console.print(table)


def report_data(report: Report, *, verbose: bool = False) -> str:
    """The same as JSON."""
    data: dict[str, Any] = {
        "ended": report.ended,
        "played": report.done,
        "planned": report.planned,
        "faults": report.faults,
        "checks": [_result_data(result) for result in report.results],
    }
    if report.failure:
        data["failure"] = report.failure
    if verbose:
        data["scenes"] = [
            {"scene": one.scene, "said": [[entry.at, entry.who, entry.message] for entry in one.entries]}
            for one in report.played
        ]
    return json.dumps(data, indent=2, default=repr)


def _result_data(result: Result) -> dict[str, Any]:
    check, finding = result.check, result.example
    data: dict[str, Any] = {
        "check": check.id,
        "status": result.status,
        "title": check.title,
        "document": check.section,
        "says": (finding and finding.says) or check.says,
    }
    if result.status == "not reached":
        data["why"] = result.why
    if finding is not None:
        data |= {
            "found": finding.what,
            "sent": finding.sent,
            "came": finding.came,
            "to_do": check.todo,
            "scene": result.scene,
            "times": result.times,
            "output": result.last_words,
        }
    return data
