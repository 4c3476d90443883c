"""Commands where nothing more can be written."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from pokerd.__main__ import main
from tests.support.competitions.arena import bot, competition, division
from tests.support.competitions.continued import POKERD, attempts, records, written
from tests.support.competitions.plain import by_plain_calls
from tests.support.competitions.results import make
from tests.support.programs import outcome

TEXT = competition([bot("a", run="call"), bot("b", run="call")], [division(hands=2, game="leduc.limit.2p")])


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("whole") / "out"
    make(out, TEXT)
    return out


def limited(kilobytes: int, *words: str | Path) -> subprocess.CompletedProcess[str]:
    """A command of which no file may grow larger than that: nor may half of a compiled module be kept."""
    command = ("bash", "-c", f'ulimit -f {kilobytes}; exec "$@"', "bash", *POKERD, *words)
    return outcome(*command, variables={"PYTHONDONTWRITEBYTECODE": "1"})


def test_a_competition_that_cannot_be_begun_leaves_nothing(tmp_path: Path) -> None:
    file = written(tmp_path, TEXT)
    done = limited(4, "compete", file, "--out", tmp_path / "out")
    assert (done.returncode, "Traceback" in done.stderr) == (2, False)
    assert done.stderr.endswith("[not_stored]\n")
    assert not any((tmp_path / "out").iterdir())


def test_a_competition_of_processes_for_which_there_is_too_little_room_goes_on_when_there_is_more(
    tmp_path: Path,
) -> None:
    """Of one process ``tests/system/chaos`` shows it, on a disk that is full."""
    bots = [bot(name, run="call", reset="message", tables=2) for name in "ab"]
    text = competition(bots, [division(hands=150)], workers=2)
    file, out = written(tmp_path, text), tmp_path / "out"
    done = limited(150, "compete", file, "--out", out, "--processes", "2")
    assert (done.returncode, "Traceback" in done.stderr) == (2, False)
    assert done.stderr.endswith("[not_stored]\n")
    assert any(hands for _, _, hands in attempts(out))
    again = outcome(*POKERD, "compete", out)
    assert again.returncode == 0, again.stderr
    assert records(out) == records(by_plain_calls(text, tmp_path / "plain"))


def test_a_copy_that_does_not_fit_is_none(whole: Path, tmp_path: Path) -> None:
    done = limited(4, "backup", whole, tmp_path / "copy")
    assert done.stderr.endswith("[not_stored]\n")
    assert str(tmp_path / "copy") in done.stderr
    assert not any(tmp_path.iterdir())


def test_a_token_that_cannot_be_kept_is_not_issued(tmp_path: Path) -> None:
    done = limited(0, "token", "issue", "ann", "--data", tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.endswith("[os_error]\n")
    assert [path.name for path in tmp_path.iterdir()] == [".access.json.lock"]


def test_standings_that_are_no_text_are_shown_as_far_as_they_are(
    whole: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / os.fsdecode(b"\xff\xfe")
    shutil.copytree(whole, out)
    (out / "standings.md").write_bytes(b"\xff first: a\n")
    assert main(["compete", str(out)]) == 0
    assert "first: a" in capsys.readouterr().out
    assert outcome(*POKERD, "audit", out).returncode == 0
