"""A competition of several server processes: its records are those of one, whatever happens to them."""

from __future__ import annotations

import json
import signal
import urllib.request
from collections import Counter
from pathlib import Path

import psutil
import pytest

from pokerd.__main__ import main
from server.commands import compete as compete_command
from server.commands.runtime import failure_report
from server.competition.session_host import CompetitionFault
from server.competition.verify import verify_directory
from server.fleet.process_messages import Failed
from server.storage.sqlite import StateError
from tests.support.certificates import make_certificate
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
from tests.support.programs import PYTHON, Program, eventually

TWO = ("--processes", "2")
TOKEN = "far-away-token"
#: Sessions so long that who is killed is nearly always in the middle of one.
TEXT = text_of(hands=240)


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    return records(by_plain_calls(TEXT, tmp_path_factory.mktemp("undisturbed") / "out"))


def descendants(program: Program) -> list[psutil.Process]:
    """All processes that it started."""
    return psutil.Process(program.process.pid).children(recursive=True)


def players(program: Program) -> list[psutil.Process]:
    """The processes that play its sessions, in the order in which they were started."""
    found = [one for one in descendants(program) if "pokerd.session_process" in one.cmdline()]
    return sorted(found, key=psutil.Process.create_time)


def check(out: Path, undisturbed: dict[str, bytes]) -> None:
    """All is as if one process had played it, and every session counts once."""
    assert records(out) == undisturbed
    verify_directory(out)
    done = Counter(session for session, state, _ in attempts(out) if state == "done")
    assert set(done.values()) == {1}
    assert {state for _, state, _ in attempts(out)} <= {"cut", "done"}


def gone(processes: list[psutil.Process]) -> bool:
    """Whether none of them runs any more."""
    return not any(one.is_running() and one.status() != psutil.STATUS_ZOMBIE for one in processes)


def test_two_processes_leave_the_records_of_one_and_show_how_far_they_are(tmp_path: Path) -> None:
    """What is played together stays at one process; who stays for all sessions is there once for each."""
    stays = bot("call", run="call", reset="message", tables=2)
    divisions = [
        division(hands=100, bots=["call", "again"]),
        division("series", hands=6, matches=2, series=2, bots=["call", "fresh"]),
    ]
    bots = [stays, {**stays, "name": "again"}, bot("fresh", run="raise")]
    text, out = competition(bots, divisions, workers=2), tmp_path / "out"
    with compete(written(tmp_path, text), out, *TWO, "--serve", "--web-port", "0") as program:
        page = program.says(r"^people: (http://\S+)/competition/out")[1]

        def told() -> list[tuple[int, int]]:
            with urllib.request.urlopen(f"{page}/api/competitions/out") as answer:
                found = json.load(answer)["divisions"]
            return [(one["sessions_done"], one["hands_done"]) for one in found]

        eventually(lambda: any(not done and 0 < hands < 100 for done, hands in told()[:1]))
        program.says("results are in")
        assert told() == [(2, 200), (4, 24)]
        assert program.stop() == 0
    check(out, records(by_plain_calls(text, tmp_path / "plain")))
    # Each started its own bots.
    connected = (out / "logs" / "bots" / "call.log").read_text("utf-8").count("connected to")
    assert connected == 2


def test_a_process_that_is_killed_is_started_again_and_one_that_hangs_is_replaced(
    tmp_path: Path, undisturbed: dict[str, bytes]
) -> None:
    out = tmp_path / "out"
    with compete(written(tmp_path, TEXT), out, *TWO) as program:
        # Now and then one is killed between two sessions.
        while not hands_logged(out) or not cut_in_the_middle(out):
            victim, bots = playing(program, out)
            victim.kill()
            eventually(lambda: gone(bots))  # noqa: B023
        victim, bots = playing(program, out)
        victim.send_signal(signal.SIGSTOP)
        eventually(lambda: gone([victim, *bots]))
        assert program.end() == 0, program.lines
    check(out, undisturbed)


def playing(program: Program, out: Path) -> tuple[psutil.Process, list[psutil.Process]]:
    """One of two processes, in the middle of play, and its bots."""
    before = hands_logged(out)
    eventually(lambda: hands_logged(out) > before + 20 and len(players(program)) == 2)
    found = players(program)[0]
    return found, found.children(recursive=True)


def cut_in_the_middle(out: Path) -> bool:
    """Whether a session was cut after its first hand."""
    return any(hands for _, state, hands in attempts(out) if state == "cut")


def test_killed_stopped_and_resumed_with_another_number_of_processes(
    tmp_path: Path, undisturbed: dict[str, bytes]
) -> None:
    file, out = written(tmp_path, TEXT), tmp_path / "out"
    # Killed, stopped after the hands in progress, and stopped at once.
    for number, signals in (("2", [signal.SIGKILL]), ("3", [signal.SIGINT]), ("2", [signal.SIGINT] * 2)):
        before = hands_logged(out)
        with compete(file, out, "--processes", number) as program:
            eventually(lambda: hands_logged(out) > before + 20)  # noqa: B023
            started = descendants(program)
            for each in signals:
                program.process.send_signal(each)
            if signals == [signal.SIGKILL]:
                assert program.end() == -signal.SIGKILL
                # The directory is locked until the last of them has ended.
                eventually(lambda: gone(started))  # noqa: B023
                continue
            assert program.end() == 130
            assert program.said(rf"resume with: .* --processes {number}$")
            assert gone(started)
    with Program(*POKERD, "compete", out) as program:
        assert program.end() == 0, program.lines
    check(out, undisturbed)


def test_what_never_lives_long_enough_to_play_ends_the_competition(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(compete_command, "_SESSION_PROCESS", (PYTHON, "-c", ""))
    file, out = written(tmp_path, text_of()), tmp_path / "out"
    assert main(["compete", str(file), "--out", str(out), *TWO]) == 1
    assert f"see {out / 'logs' / 'server.jsonl'}" in capsys.readouterr().out
    assert not attempts(out)


def test_what_ended_a_process_is_known_to_the_parent() -> None:
    logged: list[BaseException] = []
    fault = CompetitionFault("duel/m0000-l000-s0")
    full = StateError("not_stored", "no room")

    def report(*errors: Exception) -> Failed:
        return failure_report(ExceptionGroup("", errors), logged.append)

    assert report(fault) == Failed("internal", "duel/m0000-l000-s0")
    assert report(fault, ExceptionGroup("", [full])) == Failed("not_stored", "no room")
    assert report(KeyError("x")).code == "internal"
    # What is no fault of ours is not logged.
    assert len(logged) == 2


def test_remote_bots_play_at_every_process_with_tls(tmp_path: Path) -> None:
    """They connect to one address and are sent on, also after the process where they play was killed."""
    planned = [division(hands=40, matches=5)]
    text = competition([bot("far", token=TOKEN), TRIO[0]], planned, workers=4)
    local = competition([bot("far", run="call"), TRIO[0]], planned)
    out, at = tmp_path / "out", "wss://localhost"
    certificate, key = make_certificate(tmp_path / "tls")
    tls = ("--tls-cert", str(certificate), "--tls-key", str(key))
    names = ("--host", "0.0.0.0", "--allow-host", "localhost")
    with compete(written(tmp_path, text), out, *TWO, *tls, *names) as program:
        port = program.says(r"^bots connect to wss://[^:]+:(\d+)")[1]
        words = (PYTHON, "clients/examples/caller.py", "--url", f"{at}:{port}", "--token", TOKEN)
        with Program(*words, variables={"POKERD_CA_FILE": str(certificate)}) as far:
            eventually(lambda: hands_logged(out) > 40)
            players(program)[0].kill()
            assert program.end() == 0, program.lines
            assert far.end() == 0, far.lines
            assert len({match[1] for match in far.said(rf": at ({at}:\d+)$")}) >= 2
    plain, found = records(by_plain_calls(local, tmp_path / "plain")), records(out)
    hands = [name for name in plain if name.startswith("hands/")]
    assert {name: found[name] for name in hands} == {name: plain[name] for name in hands}


def test_a_remote_bot_that_comes_late_or_again_is_sent_on(tmp_path: Path) -> None:
    """Without it a session begins after the time to start; it then plays what is left of it."""
    text = competition(
        [bot("far", token=TOKEN), TRIO[0]], [division(hands=3000)], workers=1, time={"start_ms": 200}
    )
    out = tmp_path / "out"
    with compete(written(tmp_path, text), out, *TWO) as program:
        url = program.says(r"^bots connect to (ws://\S+)")[1]
        words = (PYTHON, "clients/examples/caller.py", "--url", url, "--token", TOKEN)
        for _ in range(2):
            before = hands_logged(out)
            eventually(lambda: hands_logged(out) > before)  # noqa: B023
            with Program(*words) as far:
                far.says(r": at ws://")
                far.stop(signal.SIGKILL)
        program.stop()
    hands = [path.read_text("utf-8") for path in (out / "hands").rglob("*.jsonl")]
    assert any('"absent"' in text for text in hands)
