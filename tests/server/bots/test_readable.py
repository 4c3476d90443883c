"""What lies beside bots that they must not read: decided without any process, and then tried by one."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from server.auth.tokens import ACCESS_FILE as ACCESS
from server.bots import readable_paths as readable
from server.bots.readable_paths import SECRET_NAMES, ReadablePaths
from server.bots.sandbox import Limits, Sandbox
from server.storage.hand_db import HAND_DB_NAME as ARCHIVE
from server.storage.sqlite import STATE_DB_NAME as STATE
from server.web.identity import load_secret
from tests.support.cage import lay


def told(box: ReadablePaths, top: Path) -> list[str]:
    return [os.path.relpath(path, top) for path in box.paths_in(top)]


def test_a_folder_without_anything_private_is_told_whole(tmp_path: Path) -> None:
    top = lay(tmp_path / "top", "a/b/c", "d", ".e")
    (top / "link").symlink_to(tmp_path)
    assert told(ReadablePaths([], tmp_path), top) == ["."]
    assert told(ReadablePaths([], tmp_path), top / "d") == ["."]


@pytest.mark.parametrize(
    ("private", "left"),
    [("d", ["a", "f"]), ("a/b/c", ["a/b/x", "a/y", "d", "f"]), ("a/b", ["a/y", "d", "f"]), ("f", ["a", "d"])],
)
def test_what_only_its_owner_may_read_is_left_out(private: str, left: list[str], tmp_path: Path) -> None:
    top = lay(tmp_path / "top", "a/b/c", "a/b/x", "a/y", "d", "f/g")
    (top / "link").symlink_to(top / private)
    (top / private).chmod(0o700 if (top / private).is_dir() else 0o600)
    assert told(ReadablePaths([], tmp_path), top) == left
    (top / private).chmod(0o750 if (top / private).is_dir() else 0o640)
    assert told(ReadablePaths([], tmp_path), top) == ["."]
    assert told(ReadablePaths([top / private], tmp_path), top) == left


@pytest.mark.parametrize("name", sorted(SECRET_NAMES))
def test_directories_of_data_are_left_out_wherever_they_are(name: str, tmp_path: Path) -> None:
    top = lay(tmp_path / "top", f"a/b/{name}", "a/b/c", "d")
    assert told(ReadablePaths([], tmp_path), top) == ["d"]


def test_directories_of_data_are_known_by_the_files_that_are_made_there(tmp_path: Path) -> None:
    load_secret(tmp_path)
    load_secret(tmp_path, "deals.secret")
    assert {ACCESS, ARCHIVE, STATE, *(path.name for path in tmp_path.iterdir())} == SECRET_NAMES


def test_in_a_secret_place_nothing_is_told(tmp_path: Path) -> None:
    top = lay(tmp_path / "top", "a/b")
    assert told(ReadablePaths([tmp_path], tmp_path), top) == []
    assert told(ReadablePaths([top / "a"], tmp_path), top / "a" / "b") == []


def test_where_it_was_started_hidden_names_are_left_out(tmp_path: Path) -> None:
    top = lay(tmp_path, ".env", ".git/config", "a/.env")
    assert told(ReadablePaths([], top), top) == ["a"]
    assert told(ReadablePaths([], top / "a"), top) == [".env", ".git"]


def test_what_is_too_much_to_look_through_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(readable, "MAX_ENTRIES", 20)
    lay(tmp_path / "top", "a/x", "b/c/d/e/f", *(f"b/c/d/e/{number}" for number in range(20)))
    assert told(ReadablePaths([], tmp_path), tmp_path / "top") == ["a"]
    monkeypatch.setattr(readable, "MAX_ENTRIES", 40)
    monkeypatch.setattr(readable, "MAX_PATHS", 3)
    (tmp_path / "top" / "b" / "c" / "d" / "e" / "f").chmod(0o600)
    assert told(ReadablePaths([], tmp_path), tmp_path / "top") == ["a", "b/c/d/e/0", "b/c/d/e/1"]


def test_folders_that_have_changed_are_looked_at_again(tmp_path: Path) -> None:
    top = lay(tmp_path / "top", "a/b", "c/d")
    box = ReadablePaths([], tmp_path)
    assert told(box, top) == ["."]
    lay(top, "a/state.db", "e/f")
    assert told(box, top) == ["c", "e"]
    (top / "a" / "state.db").unlink()
    assert told(box, top) == ["."]


def test_a_tree_that_goes_away_while_it_is_looked_at(tmp_path: Path) -> None:
    top = lay(tmp_path / "top", "a/b", "c")
    box = ReadablePaths([], tmp_path)
    (top / "a").chmod(0o755)
    assert told(box, top) == ["."]
    known = box._cache[str(top)]
    (top / "a" / "b").unlink()
    (top / "a").rmdir()
    box._cache[str(top)] = known._replace(changed=top.stat().st_mtime_ns)
    assert told(box, top) == ["c"]


def test_a_sandbox_looks_again_but_not_at_every_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("server.bots.sandbox.landlock_version", lambda: 6)
    now = [100.0]
    monkeypatch.setattr("server.bots.sandbox.time.monotonic", lambda: now[0])
    top = lay(tmp_path, "a/b", "c/d")
    box = Sandbox(start=top)

    def seen() -> list[str]:
        read = box.for_program(["x"], Limits()).read or ()
        return [os.path.relpath(path, top) for path in read if path.startswith(str(top))]

    assert seen() == ["a", "c"]
    lay(top, "a/access.json")
    assert seen() == ["a", "c"]
    now[0] += 1.0
    assert seen() == ["c"]


def test_what_is_private_is_so_below_the_folders_of_the_system_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As where pokerd was started in ``/opt/poker``."""
    monkeypatch.setattr("server.bots.sandbox.landlock_version", lambda: 6)
    monkeypatch.setattr("server.bots.sandbox.SYSTEM", (str(tmp_path / "opt"),))
    opt = lay(tmp_path / "opt", "other/x", "poker/key", "poker/plain")
    (opt / "poker" / "key").chmod(0o600)
    (tmp_path / "elsewhere").mkdir()

    def seen(start: Path) -> list[str]:
        read = Sandbox(start=start).for_program(["x"], Limits()).read or ()
        return [os.path.relpath(path, opt) for path in read if path.startswith(str(opt))]

    assert seen(opt / "poker") == ["other", "poker/plain"]
    assert seen(tmp_path / "elsewhere") == ["."]
