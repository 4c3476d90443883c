"""Bots that want more than they may have: real processes, each contained."""

from __future__ import annotations

import io
import os
from pathlib import Path
from typing import get_args
from uuid import uuid4

import psutil
import pytest

from server.bots import reaper
from server.bots import sandbox as sandbox_module
from server.bots.isolation import Bubblewrap
from server.bots.proc_usage import count_tasks
from server.bots.sandbox import Limits, Sandbox, SandboxError, Strictness, _resource_limits, allowed_paths


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("server.bots.processes.STOP_TIMEOUT", 0.3)
    monkeypatch.setattr("server.bots.processes.POLL_INTERVAL", 0.05)


@pytest.fixture
def landlock(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is decided where there is Landlock, on any kernel."""
    monkeypatch.setattr(sandbox_module, "landlock_version", lambda: 6)


# What may be told: decided without any process.


def tree(folder: Path) -> Path:
    for name in ("a/secret/x", "a/plain/y", "b/z", "c"):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name)
    return folder


@pytest.mark.parametrize(
    ("secret", "left"),
    [
        ([], [""]),
        (["elsewhere"], [""]),
        (["b"], ["a", "c"]),
        (["a/secret"], ["a/plain", "b", "c"]),
        (["a/secret/x", "c"], ["a/plain", "b"]),
        ([""], []),
        (["."], []),
    ],
)
def test_what_is_allowed_has_no_secret_in_it(secret: list[str], left: list[str], tmp_path: Path) -> None:
    top = tree(tmp_path / "top")
    hidden = [(tmp_path / "elsewhere" if name == "elsewhere" else top / name) for name in secret]
    assert list(allowed_paths(top, hidden)) == [top / name for name in left]


def test_inside_of_what_is_secret_nothing_is_allowed(tmp_path: Path) -> None:
    top = tree(tmp_path)
    assert list(allowed_paths(top / "a" / "secret", [top / "a"])) == []


def test_a_link_allows_nothing_of_what_it_leads_to(tmp_path: Path) -> None:
    top = tree(tmp_path)
    (top / "b" / "way").symlink_to(top / "a" / "secret")
    (top / "b" / "hidden").write_text("")
    assert list(allowed_paths(top / "b", [top / "b" / "hidden"])) == [top / "b" / "z"]


@pytest.mark.usefixtures("landlock")
def test_where_it_was_started_it_may_read_what_is_not_hidden(tmp_path: Path) -> None:
    top = tree(tmp_path)
    (top / ".env").write_text("")
    read = Sandbox([top / "a"], start=top).for_program(["x"], Limits()).read or ()
    assert [path for path in read if path.startswith(str(top))] == [str(top / "b"), str(top / "c")]


@pytest.mark.usefixtures("landlock")
def test_at_home_it_may_read_the_folder_of_its_program_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    top = tree(tmp_path)
    monkeypatch.setenv("HOME", str(top))
    box = Sandbox(start=top)
    for command, expected in ((["b/z"], ["b/z", "b"]), (["c"], ["c"]), (["python3", "-m", "x"], [])):
        told = box.for_program(command, Limits())
        assert [path for path in told.read or () if path.startswith(str(top))] == [
            str(top / name) for name in expected
        ]
        assert not told.listable


@pytest.mark.usefixtures("landlock")
def test_what_a_file_asks_for_is_given_without_the_secrets(tmp_path: Path) -> None:
    top = tree(tmp_path / "top")
    (tmp_path / "start").mkdir()
    box = Sandbox([top / "a"], start=tmp_path / "start")
    told = box.for_program(["x"], Limits(read=["../top"], write=["../top/a", "../top/b"]))
    assert [path for path in told.read or () if path.startswith(str(top))] == [str(top / "b"), str(top / "c")]
    assert [path for path in told.write if path.startswith(str(top))] == [str(top / "b")]


@pytest.mark.usefixtures("landlock")
def test_only_house_bots_may_keep_what_they_compile() -> None:
    box = Sandbox()
    assert any("__pycache__" in path or "numba" in path for path in box.for_house_bot(Limits()).write)
    assert not any(
        "__pycache__" in path or "numba" in path for path in box.for_program(["x"], Limits()).write
    )


@pytest.mark.parametrize("strictness", get_args(Strictness))
@pytest.mark.parametrize("by", ["server", "file"])
def test_without_landlock(strictness: Strictness, by: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sandbox_module, "landlock_version", lambda: 0)
    monkeypatch.setattr(sandbox_module, "find_bubblewrap", lambda: (Bubblewrap("bwrap", True), ""))
    box = Sandbox(strictness=strictness if by == "server" else None)
    limits = Limits(sandbox=strictness if by == "file" else "require")
    if strictness == "require":
        with pytest.raises(SandboxError, match="Landlock") as refusal:
            box.explain_missing([limits])
        assert refusal.value.code == "no_sandbox"
    else:
        assert ("Landlock" in box.explain_missing([limits])) is (strictness == "auto")
    assert box.describe([limits]) == ("bubblewrap" if strictness == "strict" else "nothing")
    assert (box.for_program(["x"], limits).read is None) is (strictness != "strict")


@pytest.mark.usefixtures("landlock")
def test_strangers_are_refused_where_the_network_stays_open_unless_somebody_says_otherwise(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sandbox_module, "find_bubblewrap", lambda: (None, "no bubblewrap"))
    limits = Limits(sandbox="strict")
    box = Sandbox()
    for ask in (
        lambda: box.explain_missing([limits]),
        lambda: box.for_program(["x"], limits),
        lambda: box.for_upload(tmp_path, ["x"], Limits()),
    ):
        with pytest.raises(SandboxError, match="no bubblewrap"):
            ask()
    told = Sandbox(strictness="require").for_upload(tmp_path, ["x"], Limits())
    assert (told.isolated, told.seat_only) == (None, True)
    assert box.for_house_bot(limits).isolated is None


@pytest.mark.usefixtures("landlock")
def test_an_upload_sees_its_folder_and_nothing_of_the_place_where_the_server_runs(tmp_path: Path) -> None:
    top = tree(tmp_path)
    for box in (Sandbox(start=top), Sandbox(start=top, strictness="require")):
        told = box.for_upload(top / "b", ["z"], Limits())
        assert [path for path in told.read or () if path.startswith(str(top))] == [str(top / "b")]
        assert told.start == str(top / "b")


# What they try.


# What they take.


def test_the_kernel_counts_the_processes_of_users_but_not_those_of_root(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("os.geteuid", lambda: 0)
    assert "RLIMIT_NPROC" not in _resource_limits(Limits())
    user = os.getuid()
    monkeypatch.setattr("os.geteuid", lambda: user or 65534)
    soft, hard = _resource_limits(Limits(processes=7))["RLIMIT_NPROC"]
    assert soft == hard >= 7
    assert count_tasks(user) >= len(psutil.Process().threads())


def test_a_server_that_is_killed_leaves_no_folder_behind(tmp_path: Path) -> None:
    """Its reaper removes those of the bots, after it has ended them."""
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "file").write_text("")
    lines = f"token {uuid4().hex}\nfolder {tmp_path / 'own'}\n"
    reaper.kill_at_end(io.StringIO(lines))
    assert list(tmp_path.iterdir()) == []
