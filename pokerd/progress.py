"""Long computations at a terminal: their progress, and an end between two steps."""

from __future__ import annotations

import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

ENDLESS = sys.maxsize
"""A limit of iterations that is none."""

_FIRST_LINE, _NEXT_LINE = 5.0, 30.0
"""Seconds until the first progress line, and between later ones."""


class StopRequested(Exception):
    """The user wants to stop; raised between two iterations."""


@contextmanager
def stop_on_signal() -> Iterator[Callable[[], None]]:
    """Provide a function that raises ``StopRequested`` after a signal to stop; a second signal stops at
    once.

    Signals that are ignored stay ignored, as under nohup.
    """
    stop_requested = False

    def request_stop(number: int, frame: FrameType | None) -> None:
        nonlocal stop_requested
        if stop_requested:
            raise KeyboardInterrupt
        stop_requested = True

    def raise_if_stopped() -> None:
        if stop_requested:
            raise StopRequested

    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
    caught = {number: old for number, old in before.items() if old is not signal.SIG_IGN}
    for number in caught:
        signal.signal(number, request_stop)
    try:
        yield raise_if_stopped
    finally:
        for number, old in caught.items():
            signal.signal(number, old)


@contextmanager
def show_progress(start: int, limit: int) -> Iterator[Callable[[int, str | None], None]]:
    """Provide a function of iterations and a text that shows them on standard error: as a progress bar, or as
    a line now and then if that is not a terminal. If the text is None, the last one stays.
    """
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Bar

    console = Console(stderr=True)
    endless = limit == ENDLESS
    count = TextColumn("{task.completed:,.0f} iterations") if endless else MofNCompleteColumn()
    columns = (BarColumn(), count, TimeElapsedColumn(), TextColumn("{task.fields[words]}"))
    due = time.monotonic() + _FIRST_LINE
    with Bar(*columns, console=console, disable=not console.is_terminal) as bar:
        shown = bar.add_task("", total=None if endless else limit, completed=start, words="")

        def show(iterations: int, words: str | None) -> None:
            nonlocal due
            bar.update(shown, completed=iterations)
            if words is not None:
                bar.update(shown, words=words)
            if not console.is_terminal and time.monotonic() >= due:
                due = time.monotonic() + _NEXT_LINE
                latest = bar.tasks[shown].fields["words"]
                text = f"{iterations:,} iterations"
                print(f"{text}, {latest}" if latest else text, file=sys.stderr, flush=True)

        yield show
