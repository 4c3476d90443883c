"""``kill -9`` of a competition at any moment: it goes on, and nothing tells that it was interrupted."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

from pokerd.__main__ import main
from server.competition.verify import verify_directory
from tests.support.competitions.arena import bot, competition, division
from tests.support.competitions.continued import (
    POKERD,
    TRIO,
    attempts,
    compete,
    hands_logged,
    records,
    text_of,
    written,
)
from tests.support.competitions.plain import by_plain_calls
from tests.support.ports import free_port
from tests.support.programs import PYTHON, Program, eventually

#: The hands of each session of play: so many that all kills but the last fit in, however fast the machine is.
HANDS = 40


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    return records(by_plain_calls(text_of(hands=HANDS), tmp_path_factory.mktemp("undisturbed") / "out"))


def moments(out: Path) -> Iterator[Callable[[], bool]]:
    """When to kill: while the first files are made, between hands and within them, and while the last files
    are made.
    """
    # The file that is being made is there for an instant only, and can be missed.
    yield lambda: (out / "state.db.new").exists() or (out / "commitment.json").exists()
    for more in (0, 1, 50):
        hands = hands_logged(out) + more
        yield lambda: hands_logged(out) > hands  # noqa: B023
    yield (out / "seed.json").exists


def test_killed_at_any_moment_it_leaves_the_same_records(
    tmp_path: Path, undisturbed: dict[str, bytes]
) -> None:
    file, out = written(tmp_path, text_of(hands=HANDS)), tmp_path / "out"
    killed = []
    for due in moments(out):
        with compete(file, out) as program:
            eventually(lambda: due() or program.process.poll() is not None)  # noqa: B023
            killed.append(program.stop(signal.SIGKILL) == -signal.SIGKILL)
    # The last files are made in an instant.
    assert all(killed[:-1])
    with compete(file, out) as program:
        assert program.end() == 0, program.lines
    assert records(out) == undisturbed
    verify_directory(out)
    states = attempts(out)
    done = [session for session, state, _ in states if state == "done"]
    assert len(done) == len(set(done)) == 15
    # Partial hands are kept, and in no journal: those are as they would be anyway.
    assert any(hands for _, state, hands in states if state == "cut")
    assert {state for _, state, _ in states} == {"cut", "done"}


def test_a_bot_that_lives_on_comes_back_by_itself(tmp_path: Path) -> None:
    remote = bot("far", token="far-away-token")
    grace = {"grace_ms": 60_000}
    text = competition([remote, TRIO[0]], [division(hands=60, matches=2)], workers=1, time=grace)
    file, out = written(tmp_path, text), tmp_path / "out"
    port = str(free_port())
    with compete(file, out, "--port", port) as first:
        url = first.says(r"^bots connect to (ws://\S+)")[1]
        caller = Program(PYTHON, "clients/examples/caller.py", "--url", url, "--token", "far-away-token")
        with caller as far:
            eventually(lambda: hands_logged(out) > 70)
            assert first.stop(signal.SIGKILL) == -signal.SIGKILL
            # With the directory alone: the token is not in the competition file that lies there.
            with Program(*POKERD, "compete", out, "--port", port) as second:
                assert second.end() == 0, second.lines
            assert far.end() == 0, far.lines
            assert len(far.said("^connected to")) == 2
    assert "far-away-token" not in (out / "competition.toml").read_text("utf-8")
    assert b"far-away-token" not in (out / "state.db").read_bytes()
    verify_directory(out)
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


def test_two_processes_do_not_play_in_one_directory(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, out = written(tmp_path, text_of(hands=100_000)), tmp_path / "out"
    with compete(file, out) as first:
        eventually(lambda: hands_logged(out) > 5)
        for again in ([file, "--out", out], [out]):
            assert main(["compete", *map(str, again)]) == 2
            assert capsys.readouterr().err.endswith("[in_use]\n")
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
    verify_directory(out)
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
