"""The report, for people in a terminal and as JSON."""

from __future__ import annotations

import io
import json
from collections import Counter
from collections.abc import Sequence
from typing import Any, Final

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from server.check.model import Check, CheckResult, ScenarioResult, TranscriptEntry, shorten
from server.check.suite import CheckReport

_STYLES: Final = {"pass": "green", "fault": "bold red", "advice": "yellow", "not reached": "dim"}


def print_report(report: CheckReport, console: Console, *, verbose: bool = False) -> None:
    """Print the transcripts (if ``verbose``), the result of every check, and what to do about it."""
    if verbose:
        for scenario_result in report.played:
            print_transcript(scenario_result, console)
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
                _print_result(result, console)
    console.print()
    console.print(_summary(report))
    if report.ended != "complete":
        console.print(_ending_text(report))


def report_text(report: CheckReport, width: int = 100) -> str:
    """Return what ``print_report`` prints, as plain text."""
    console = Console(file=io.StringIO(), width=width, highlight=False)
    with console.capture() as captured:
        print_report(report, console)
    return captured.get()


def _status(status: str) -> Text:
    return Text(status.upper(), _STYLES[status])


def _summary(report: CheckReport) -> Text:
    counts: Counter[str] = Counter(result.status for result in report.results)
    labels = {
        "pass": "passed",
        "fault": "with a fault",
        "advice": "with advice",
        "not reached": "not reached",
    }
    parts = ", ".join(f"{counts[status]} {words}" for status, words in labels.items())
    number = len(report.results)
    return Text(f"{number} check{'s' if number > 1 else ''}: {parts}", "bold")


def _ending_text(report: CheckReport) -> Text:
    """Say why the check is incomplete."""
    why = {"interrupted": "Interrupted", "failed": "pokerd itself failed; this is not the program's fault"}
    return Text(f"{why[report.ended]}: {report.done} of {report.planned} scenes were played.", "bold red")


def _print_result(result: CheckResult, console: Console) -> None:
    finding, check = result.example, result.check
    assert finding is not None
    console.print()
    times = f", {result.times} times" if result.times > 1 else ""
    head = Text.assemble(_status(result.status), " ", (check.id, "bold"), f" (in {result.scenario}{times})")
    console.print(head)
    grid = Table.grid(padding=(0, 2))
    grid.add_column(no_wrap=True, style="dim")
    grid.add_column(overflow="fold")
    for name, text in (
        ("found", finding.what),
        ("sent", finding.sent),
        ("reply", finding.reply),
        ("document", check.section),
        ("to do", check.todo),
        ("output", result.last_words if result.status == "fault" else ""),
    ):
        if text and text != '""':
            grid.add_row(name, Text(text))
    console.print(Padding(grid, (0, 0, 0, 2)))


def print_transcript(played: ScenarioResult, console: Console) -> None:
    """Print the transcript of a scenario, with seconds since its start."""
    console.print(Text(f"== {played.scenario}", "bold"))
    start = played.entries[0].at if played.entries else 0.0
    for entry in played.entries:
        console.print(Text(f"{entry.at - start:7.3f} {entry.who} {_entry_text(entry)}"))
    console.print()


def _entry_text(entry: TranscriptEntry) -> str:
    message = entry.message
    if "line" in message:
        return shorten(str(message["line"]).rstrip("\r\n"))
    if entry.who == "-":
        keys = ("fault", "action", "total") if message["event"] == "judged" else tuple(message)[1:]
        more = ", ".join(f"{key} {message[key]}" for key in keys if message.get(key) not in (None, ""))
        return f"{message['event']}{': ' if more else ''}{more}"
    return shorten(message)


def print_checks(checks: Sequence[Check], console: Console) -> None:
    """Print every check, with the section of the documentation."""
    table = Table("check", "a correct program", box=None, pad_edge=False)
    for check in checks:
        title = Text(check.title)
        if check.severity == "advice":
            title.append(" (advice)", _STYLES["advice"])
        table.add_row(check.id, Text.assemble(title, "\n", (check.section, "dim")))
    console.print(table)


def report_data(report: CheckReport, *, verbose: bool = False) -> str:
    """Return the report as JSON."""
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
            {"scene": one.scenario, "said": [[entry.at, entry.who, entry.message] for entry in one.entries]}
            for one in report.played
        ]
    return json.dumps(data, indent=2, default=repr)


def _result_data(result: CheckResult) -> dict[str, Any]:
    check, finding = result.check, result.example
    data: dict[str, Any] = {
        "check": check.id,
        "status": result.status,
        "title": check.title,
        "document": check.section,
    }
    if result.status == "not reached":
        data["why"] = result.why
    if finding is not None:
        data |= {
            "found": finding.what,
            "sent": finding.sent,
            "came": finding.reply,
            "to_do": check.todo,
            "scene": result.scenario,
            "times": result.times,
            "output": result.last_words,
        }
    return data
