"""Live progress of a competition in a terminal; plain lines if the output is not a terminal."""

from __future__ import annotations

import asyncio
import sys
import time
from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Final

from server.competition.progress import CompetitionProgress

if TYPE_CHECKING:
    from rich.console import Console, Group

#: Seconds between updates in a terminal, and between lines elsewhere.
REFRESH: Final = 0.25
LINES: Final = 10.0


class Display:
    """Standard output. ``say`` prints a line, above the progress if that is shown."""

    def __init__(self) -> None:
        self._console: Console | None = None
        self.say: Callable[[str], None] = partial(print, flush=True)
        # Elsewhere rich has nothing to do, and would take longer to load than a short competition to play.
        if sys.stdout is not None and sys.stdout.isatty():
            from rich.console import Console

            self._console = Console(highlight=False, soft_wrap=True, markup=False)
            self.say = self._console.print

    async def show_progress(self, progress: CompetitionProgress) -> None:
        """Show ``progress`` until cancelled, and a last time then."""
        started = time.monotonic()
        if self._console is not None:
            await _show_live(progress, self._console, started)
        else:
            await _print_lines(progress, self.say, started)


async def _show_live(progress: CompetitionProgress, console: Console, started: float) -> None:
    from rich.live import Live

    with Live(_render(progress, 0.0), console=console, auto_refresh=False) as live:
        try:
            while True:
                await asyncio.sleep(REFRESH)
                live.update(_render(progress, time.monotonic() - started), refresh=True)
        finally:
            live.update(_render(progress, time.monotonic() - started), refresh=True)


async def _print_lines(progress: CompetitionProgress, say: Callable[[str], None], started: float) -> None:
    try:
        while True:
            await asyncio.sleep(LINES)
            say(_line(progress, time.monotonic() - started))
    finally:
        say(_line(progress, time.monotonic() - started))


def _line(progress: CompetitionProgress, seconds: float) -> str:
    hands = sum(map(progress.hands, progress.sessions))
    done, planned = sum(progress.sessions_done.values()), sum(progress.sessions.values())
    rate = hands / max(seconds, 1e-9)
    scored = f"; {progress.scored} scored" if 0 < progress.scored < planned else ""
    return f"{done}/{planned} sessions, {hands:,} hands, {rate:,.0f} hands/s, {seconds:.0f} s{scored}"


def _render(progress: CompetitionProgress, seconds: float) -> Group:
    from rich.console import Group
    from rich.progress_bar import ProgressBar
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False)
    for title, justify in (
        ("division", "left"),
        ("", "left"),
        ("sessions", "right"),
        ("hands", "right"),
        ("leading", "left"),
    ):
        table.add_column(title, justify=justify, no_wrap=True)  # type: ignore[arg-type]
    for name, planned in progress.sessions.items():
        hands, total = progress.hands(name), progress.hands_planned[name]
        chips = progress.chips[name]
        most = max(chips.values())
        leaders = ", ".join(bot for bot in chips if chips[bot] == most)
        lead = Text(f"{leaders} {most:+,.0f}") if progress.sessions_done[name] else Text("")
        bar = ProgressBar(total=max(total, 1), completed=hands, width=24)
        table.add_row(name, bar, f"{progress.sessions_done[name]}/{planned}", f"{hands:,}", lead)
    return Group(table, Text(_line(progress, seconds) + _incident_text(progress), style="dim"))


def _incident_text(progress: CompetitionProgress) -> str:
    counts: Counter[str] = Counter()
    for bots in progress.incidents.values():
        for bot, kinds in bots.items():
            counts[bot] += sum(kinds.values())
    noisy = ", ".join(f"{bot} {count}" for bot, count in counts.items() if count)
    return f"; incidents: {noisy}" if noisy else ""
