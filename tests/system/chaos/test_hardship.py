"""A storm, a full disk, a clock that jumps, a network that swallows: nothing is lost, and nothing changes.
``make chaos`` has long storms.
"""

from __future__ import annotations

import re
from itertools import cycle
from pathlib import Path

import pytest

from server.competition.verify import verify_directory
from tests.chaos.storm import EVENTS, calm, same_play, text_of, weather
from tests.support.competitions.continued import POKERD, attempts, hands_logged, records, written
from tests.support.competitions.continued import text_of as small
from tests.support.competitions.plain import by_plain_calls
from tests.support.programs import PYTHON, Program, eventually

#: Its copy for programs with threads is where the dynamic linker finds it by the machine's own rules.
FAKETIME = next(Path("/usr/lib").glob("*/faketime/libfaketimeMT.so.1"), Path("libfaketimeMT.so.1"))
#: From a disk that does not even hold what is promised before the first card, to one with room for all.
SIZES = ("40k", "300k", "100m")


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, object]:
    """What two bots play that nothing happens to."""
    return same_play(calm(tmp_path_factory.mktemp("calm"), len(EVENTS)))


@pytest.mark.timeout(600)
def test_a_short_storm_changes_nothing(tmp_path: Path, undisturbed: dict[str, object]) -> None:
    # With these random numbers each thing happens once.
    happened = weather(tmp_path, len(EVENTS), 2005, undisturbed)
    assert [happened[kind] for kind in EVENTS] == [1] * len(EVENTS)


def test_on_a_full_disk_it_stops_and_goes_on_when_there_is_room(tmp_path: Path) -> None:
    text = small(hands=100)
    file, disk, copy = written(tmp_path, text), tmp_path / "disk", tmp_path / "copy"
    disk.mkdir()
    # A disk of any size, in a namespace where nobody else sees it.
    command = ("unshare", "--map-root-user", "--mount", PYTHON, "-m", "tests.chaos.small_disk")
    with Program(*command, file, disk, copy, *SIZES) as program:
        for size in SIZES:
            program.says(rf"^{size}: \d+$")
        assert program.end() in (0, 4), program.lines
        codes = [int(match[1]) for match in program.said(r"^\d+[km]: (\d+)$")]
        told = program.said(r"^pokerd: .*\[(not_stored|os_error)\]$")
        assert not program.said("Traceback"), program.lines
    assert codes == [2] * (len(SIZES) - 1) + [0]
    assert len(told) == len(SIZES) - 1, program.lines
    assert records(copy) == records(by_plain_calls(text, tmp_path / "calm"))
    verify_directory(copy)
    assert any(hands for _, state, hands in attempts(copy) if state == "cut")


def test_a_clock_that_jumps_by_days_changes_nothing(tmp_path: Path) -> None:
    text = small(hands=25)
    file, out, offset = written(tmp_path, text), tmp_path / "out", tmp_path / "offset"
    offset.write_text("+0d")
    variables = {
        "LD_PRELOAD": str(FAKETIME),
        "FAKETIME_TIMESTAMP_FILE": str(offset),
        "FAKETIME_NO_CACHE": "1",
        # The clock that never jumps on any machine does not here.
        "FAKETIME_DONT_FAKE_MONOTONIC": "1",
    }
    steps = cycle(["+400d", "-400d", "+3h", "-2d"])
    with Program(*POKERD, "compete", file, "--out", out, variables=variables) as program:
        while program.process.poll() is None:
            before = hands_logged(out)
            offset.write_text(next(steps))
            eventually(lambda: hands_logged(out) > before or program.process.poll() is not None)  # noqa: B023
        assert program.end() in (0, 4), program.lines
    log = (out / "logs" / "server.jsonl").read_text("utf-8")
    # It did jump, there and back.
    assert len(set(re.findall(r'"timestamp":"(\d{4}-\d\d)', log))) >= 3
    assert records(out) == records(by_plain_calls(text, tmp_path / "calm"))
    verify_directory(out)


@pytest.mark.timeout(300)
def test_a_network_that_swallows_is_noticed_and_the_bot_comes_back(
    tmp_path: Path, undisturbed: dict[str, object]
) -> None:
    file = written(tmp_path, text_of(len(EVENTS)))
    command = ("unshare", "--map-root-user", "--net", PYTHON, "-m", "tests.chaos.swallowed")
    with Program(*command, file, tmp_path / "out") as program:
        program.says(r"^lost: \d$")
        assert program.end() in (0, 4), program.lines
    assert same_play(tmp_path / "out") == undisturbed
