"""``kill -9`` of a competition at any moment: it goes on, and nothing tells that it was interrupted."""

from __future__ import annotations

import random
import signal
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from tests.support.arena import bot, competition, division
from tests.support.continued import (
    POKERD,
    TRIO,
    attempts,
    compete,
    hands_logged,
    played,
    records,
    text_of,
    verified,
    written,
)
from tests.support.programs import PYTHON, Program, eventually

#: How often each competition is killed, and the hands of each session of play: so many that all kills but the
#: last fit in, however fast the machine is.
KILLS = 5
HANDS = 150


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    folder = tmp_path_factory.mktemp("undisturbed")
    return records(played(written(folder, text_of(hands=HANDS)), folder / "out"))


def moment(source: random.Random, out: Path, number: int) -> Callable[[], bool]:
    """From before the first file is written to while the last ones are: when to kill."""
    if number == 0:
        first = out / source.choice(["state.db.new", "state.db", "commitment.json", "logs"])
        # The file that is being made is there for an instant only, and can be missed.
        return lambda: first.exists() or hands_logged(out) > 0
    if number == KILLS - 1:
        return (out / "seed.json").exists
    hands = hands_logged(out) + source.choice([0, 1, 8, 50, 150])
    return lambda: hands_logged(out) > hands


@pytest.mark.parametrize("seed", range(2))
def test_killed_at_any_moment_it_leaves_the_same_records(
    seed: int, tmp_path: Path, undisturbed: dict[str, bytes]
) -> None:
    source = random.Random(seed)
    file, out = written(tmp_path, text_of(hands=HANDS)), tmp_path / "out"
    killed = 0
    for number in range(KILLS):
        with compete(file, out) as program:
            due = moment(source, out, number)
            eventually(lambda: due() or program.process.poll() is not None)  # noqa: B023
            killed += program.stop(signal.SIGKILL) == -signal.SIGKILL
    assert killed >= KILLS // 2
    with compete(file, out) as program:
        assert program.end() == 0, program.lines
    assert records(out) == undisturbed
    verified(out)
    states = attempts(out)
    done = [session for session, state, _ in states if state == "done"]
    assert len(done) == len(set(done)) == 15
    # Partial hands are kept, and in no journal: those are as they would be anyway.
    assert any(hands for _, state, hands in states if state == "cut")
    assert {state for _, state, _ in states} == {"cut", "done"}


def test_a_bot_that_lives_on_comes_back_by_itself(tmp_path: Path) -> None:
    remote = bot("far", token="far-away-token")
    grace = {"grace_ms": 60_000}
    text = competition([remote, TRIO[0]], [division(hands=400, matches=3)], workers=1, time=grace)
    file, out = written(tmp_path, text), tmp_path / "out"
    with compete(file, out) as first:
        url = first.says(r"^bots connect to (ws://\S+)")[1]
        port = url.rpartition(":")[2]
        caller = Program(PYTHON, "clients/examples/caller.py", "--url", url, "--token", "far-away-token")
        with caller as far:
            eventually(lambda: hands_logged(out) > 500)
            assert first.stop(signal.SIGKILL) == -signal.SIGKILL
            # With the directory alone: the token is not in the competition file that lies there.
            with Program(*POKERD, "compete", out, "--port", port) as second:
                assert second.end() == 0, second.lines
            assert far.end() == 0, far.lines
            assert len(far.said("^connected to")) == 2
    assert "far-away-token" not in (out / "competition.toml").read_text("utf-8")
    assert b"far-away-token" not in (out / "state.db").read_bytes()
    verified(out)
    assert "None." in (out / "standings.md").read_text("utf-8").partition("### Incidents")[2]


STAYS = """
import os, signal, subprocess, sys
signal.signal(signal.SIGTERM, signal.SIG_IGN)
child = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); signal.pause()"
subprocess.Popen([sys.executable, "-c", child])
subprocess.Popen([sys.executable, "-c", child], start_new_session=True)
from tests.zoo.keeper import come_in, play
play(come_in())
while True:
    signal.pause()
"""


def test_killed_it_leaves_no_process_behind(tmp_path: Path) -> None:
    """Not one that ignores every other signal, nor its children, one of which moved away."""
    stubborn = bot("stubborn", command=["{python}", "-c", STAYS], reset="message")
    text = competition([stubborn, TRIO[0]], [division(hands=100_000)], workers=1)
    with compete(written(tmp_path, text), tmp_path / "out") as program:
        eventually(lambda: hands_logged(tmp_path / "out") > 5)
        started = psutil.Process(program.process.pid).children(recursive=True)
        assert len(started) == 5
        program.stop(signal.SIGKILL)
    _, alive = psutil.wait_procs(started, timeout=30)
    assert alive == []


def test_two_processes_do_not_play_in_one_directory(tmp_path: Path) -> None:
    file, out = written(tmp_path, text_of(hands=100_000)), tmp_path / "out"
    with compete(file, out) as first:
        eventually(lambda: hands_logged(out) > 5)
        for again in (compete(file, out), Program(*POKERD, "compete", out)):
            with again as second:
                assert second.end() == 2
                assert second.said(r"\[in_use\]$")
        before = hands_logged(out)
        eventually(lambda: hands_logged(out) > before)
        assert first.stop(signal.SIGKILL) == -signal.SIGKILL
    with Program(*POKERD, "compete", out) as second:
        second.says("^deals are committed to")
        assert second.stop() == 130


def test_stopped_it_ends_the_hand_and_says_how_to_go_on(
    tmp_path: Path, undisturbed: dict[str, bytes]
) -> None:
    file, out = written(tmp_path, text_of(hands=HANDS)), tmp_path / "out"
    with compete(file, out) as program:
        eventually(lambda: hands_logged(out) > 30)
        assert program.stop() == 130
        assert program.says(r"python -m pokerd compete (.*)$")[1] == str(out)
    told = hands_logged(out)
    # Every hand that was begun came to its end: no bot was told of one that did not.
    assert sum(hands for _, _, hands in attempts(out)) == told
    assert not (out / "seed.json").exists()
    with Program(*POKERD, "compete", out) as program:
        assert program.end() == 0, program.lines
        assert program.said("are played already")
    assert records(out) == undisturbed
    verified(out)
    with Program(*POKERD, "compete", out) as program:
        assert program.end() == 0
    assert records(out) == undisturbed


THINKS = """
from tests.zoo.keeper import come_in, hear
for message in hear(come_in()):
    print(message["type"], flush=True)
"""


def test_who_cannot_wait_for_the_hand_stops_it_twice(tmp_path: Path) -> None:
    """A bot thinks for ever: the hand would last as long as its clock."""
    thinker = bot("thinker", command=["{python}", "-c", THINKS], reset="message")
    text = competition([thinker, TRIO[0]], [division(hands=5)], workers=1, time={"decision_ms": 600_000})
    out = tmp_path / "out"
    words = out / "logs" / "bots" / "thinker.log"
    with compete(written(tmp_path, text), out) as program:
        eventually(lambda: words.is_file() and "turn" in words.read_text("utf-8"))
        program.process.send_signal(signal.SIGINT)
        program.says("^stopping when the hands in progress are over")
        assert program.process.poll() is None
        assert program.stop() == 130
    assert [attempt[1:] for attempt in attempts(out)] == [("cut", 0)]
