"""Where nothing more can be written: a code, nothing half done, and all of it goes on when there is room."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import stat
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
import structlog

from pokerd.__main__ import main
from server.storage.sqlite import STATE_DB_NAME, STATE_SCHEMA, unusable_error
from server.telemetry import logging_setup as logs
from server.telemetry.logger import get_logger
from tests.support.competitions.arena import bot, competition, division
from tests.support.competitions.results import make

TEXT = competition([bot("a", run="call"), bot("b", run="call")], [division(hands=2, game="leduc.limit.2p")])


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("whole") / "out"
    make(out, TEXT)
    return out


def test_a_log_that_cannot_be_written_stops_nothing() -> None:
    stream = logs.configure(Path("/dev/full"))
    try:
        get_logger("pokerd.test").warning("the disk is full", player="ann")
        get_logger("pokerd.test").error("still", exc_info=ValueError("x"))
    finally:
        stream.close()
        structlog.reset_defaults()


def test_a_log_with_a_limit_begins_anew_and_never_fills_the_disk(tmp_path: Path) -> None:
    file, other = tmp_path / "server.jsonl", tmp_path / "mine.jsonl"
    try:
        for config in (logs.LogConfig(), logs.LogConfig(file=other)):
            with config.activate(file, most=1000):
                for number in range(50):
                    get_logger("pokerd.test").warning("hand", number=number)
    finally:
        structlog.reset_defaults()
    # Who names a file looks after it.
    assert {path.name for path in tmp_path.iterdir()} == {"server.jsonl", "server.jsonl.1", "mine.jsonl"}
    old, new = (tmp_path / "server.jsonl.1").read_text(), file.read_text()
    numbers = [json.loads(line)["number"] for line in (old + new).splitlines()]
    assert numbers == list(range(numbers[0], 50))
    assert 0 < numbers[0] < 45
    assert max(len(old), len(new)) < 1200
    assert other.read_text().count("\n") == 50


@pytest.mark.parametrize(
    ("kind", "code"),
    [
        *[
            ("SQLITE_FULL", "not_stored"),
            ("SQLITE_IOERR_WRITE", "not_stored"),
            ("SQLITE_READONLY", "not_stored"),
        ],
        *[
            ("SQLITE_IOERR_READ", "bad_state"),
            ("SQLITE_CORRUPT", "bad_state"),
            ("SQLITE_NOTADB", "bad_state"),
        ],
    ],
)
def test_the_disk_is_told_from_the_file(kind: str, code: str) -> None:
    error = sqlite3.OperationalError("no")
    error.sqlite_errorname = kind
    assert unusable_error(Path("state.db"), error).code == code


@pytest.fixture
def elsewhere() -> Iterator[Path]:
    """A folder that others may look into, too."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        yield folder


@pytest.mark.parametrize("command", ["compete", "verify", "audit", "backup"])
def test_what_is_somebody_else_s_is_said_to_be(
    command: str, whole: Path, elsewhere: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = elsewhere / "out"
    shutil.copytree(whole, out)
    (out / STATE_DB_NAME).chmod(0)
    more = [str(elsewhere.parent / f"{elsewhere.name}.copy")] if command == "backup" else []
    with somebody_else():
        assert main([command, str(out), *more]) == 2
    assert capsys.readouterr().err.endswith(f"Permission denied: '{out / STATE_DB_NAME}' [os_error]\n")
    assert stat.S_IMODE((out / STATE_DB_NAME).stat().st_mode) == 0
    assert not any(map(os.path.exists, more))


class somebody_else:  # noqa: N801 (read as a statement)
    """Root is somebody else meanwhile: to root nothing is forbidden."""

    def __enter__(self) -> None:
        self._root = os.geteuid() == 0
        if self._root:
            os.seteuid(65534)

    def __exit__(self, *_: object) -> None:
        if self._root:
            os.seteuid(0)


def test_a_file_of_no_version_is_refused(
    whole: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copytree(whole, tmp_path / "out")
    with closing(sqlite3.connect(tmp_path / "out" / STATE_DB_NAME)) as db:
        db.execute(f"PRAGMA user_version = {len(STATE_SCHEMA.migrations) + 1}")
    assert main(["compete", str(tmp_path / "out")]) == 2
    assert capsys.readouterr().err.endswith("[newer_state]\n")
