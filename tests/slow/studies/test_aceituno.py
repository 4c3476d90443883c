"""The study of Aceituno 2017: a tiny run that is interrupted, and goes on."""

from __future__ import annotations

import json
import signal
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from pokerd.__main__ import main
from studies.aceituno import jobs, plan
from studies.aceituno.plan import AceitunoPlan, AceitunoSizes
from studies.harness.runner import SEED

QUICK = ["study", "aceituno", "--quick"]


def files(place: Path) -> dict[str, bytes]:
    """All of a report; the work is kept in the order in which it was finished."""
    return {path.name: path.read_bytes() for path in place.iterdir() if path.name != "work.jsonl"}


@pytest.fixture
def tiny(monkeypatch: pytest.MonkeyPatch) -> None:
    """All kinds of units, and as little as possible in each."""
    size = AceitunoSizes(2, 2, 2, 1, chunk=2, chunks=2, test_chunks=1, matches=1, hands=20)
    monkeypatch.setattr(plan, "sizes", lambda quick: size)


@pytest.fixture
def in_the_fifth_unit(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Ctrl-C, when the processor has worked on a unit for some milliseconds."""

    def interrupt(signum: int, frame: FrameType | None) -> None:
        # Python swallows what is raised in a callback of the garbage collector (hypothesis has one).
        if frame is not None and frame.f_code.co_name == "gc_callback":
            signal.setitimer(signal.ITIMER_VIRTUAL, 0.001)
        else:
            signal.default_int_handler(signum, frame)

    before = signal.signal(signal.SIGVTALRM, interrupt)
    play = jobs.play_tournaments
    played: list[tuple[Any, ...]] = []

    def interrupted(*given: Any) -> dict[str, Any]:
        played.append(given)
        if len(played) == 5:
            signal.setitimer(signal.ITIMER_VIRTUAL, 0.005)
        return play(*given)

    monkeypatch.setattr(plan, "play_tournaments", interrupted)
    yield
    signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    signal.signal(signal.SIGVTALRM, before)


@pytest.mark.usefixtures("tiny", "in_the_fifth_unit")
def test_a_study_that_is_interrupted_goes_on_and_gives_the_same_report(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    assert main([*QUICK, "--workers", "1", "--out", str(parts)]) == 130
    capsys.readouterr()
    finished = len((parts / "work.jsonl").read_bytes().splitlines()) - 1
    assert 0 < finished < len(AceitunoPlan(True, SEED).units())
    assert not (parts / "report.json").exists()
    for place in (parts, whole):
        assert main([*QUICK, "--workers", "1", "--out", str(place)]) == 0
    assert files(parts) == files(whole)
    assert {"report.json", "report.md", "paths.png", "weights.png"} <= set(files(whole))
    rows = json.loads((whole / "report.json").read_text("utf-8"))["rows"]
    assert len({row["id"] for row in rows}) == len(rows) > 50
