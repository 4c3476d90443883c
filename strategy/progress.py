"""Long work in parts, with progress reports between them, and the possibility to stop."""

from __future__ import annotations

from collections.abc import Callable, Iterator

ProgressCallback = Callable[[str, float], None]
"""Called with a description of the computation and the fraction done, 0 to 1. It may stop the work with an
exception.
"""


def no_progress(what: str, done: float) -> None:
    """Report nothing."""


def chunks(count: int, size: int, what: str, report: ProgressCallback) -> Iterator[slice]:
    """Yield all indexes below ``count``, ``size`` at a time; call ``report`` before each and at the end."""
    for start in range(0, count, size):
        report(what, start / count)
        yield slice(start, min(start + size, count))
    report(what, 1.0)
