"""The ladder's file."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import pytest

from server.commands.ladder import _zipped
from server.ladder.config import CONFIG_FILE, TEMPLATE, load_config
from server.ladder.errors import LadderError
from server.ladder.program_files import hash_of_folder, start_command
from server.ladder.uploads import take_upload


def _write(folder: Path, text: str) -> Path:
    (folder / CONFIG_FILE).write_text(text, encoding="utf-8")
    return folder


def test_the_file_that_init_writes_is_valid(tmp_path: Path) -> None:
    config = load_config(_write(tmp_path, TEMPLATE.format(name="course")))
    assert config.name == "course"
    assert config.hands_of_set(config.load_game(tmp_path)) == 2
    assert [rule.name for rule in config.grades] == ["beats call", "worth 200"]


@pytest.mark.parametrize(
    "text",
    [
        'name = "x"\nhouse = ["a", "b"]\ngame = "no such game"',
        'name = "x"\nhouse = ["a"]',
        'name = "x"\nhouse = ["a", "a"]',
        'name = "x"\nhouse = ["a", "b"]\nmatch = 1',
        'name = "x"\nhouse = ["a", "b"]\n[[grades]]\nname = "g"\nbeats = "c"',
        'name = "x"\nhouse = ["a", "b"]\n[[grades]]\nname = "g"\np = 0.9',
        "name = ",
    ],
)
def test_what_cannot_be_used_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(LadderError) as refused:
        load_config(_write(tmp_path, text))
    assert refused.value.code == "bad_ladder_file"


def test_another_directory_is_no_ladder(tmp_path: Path) -> None:
    with pytest.raises(LadderError) as refused:
        load_config(tmp_path)
    assert refused.value.code == "not_a_ladder"


def test_a_program_says_how_it_is_started() -> None:
    assert start_command({"bot.py": b"", "notes.txt": b""}) == ("{python}", "bot.py")
    told = {"bot.py": b"", "bot.toml": b'command = ["node", "bot.py", "--fast"]'}
    assert start_command(told) == ("node", "bot.py", "--fast")


@pytest.mark.parametrize(
    "files",
    [
        {"notes.txt": b""},
        {"bot.py": b"", "bot.toml": b"command = []"},
        {"bot.py": b"", "bot.toml": b"command = 1"},
        {"bot.py": b"", "bot.toml": b"x = 1"},
        {"bot.py": b"", "bot.toml": b"["},
        {"bot.py": b"", "bot.toml": b"\xff"},
    ],
)
def test_a_program_that_does_not_say_it_is_refused(files: dict[str, bytes]) -> None:
    with pytest.raises(LadderError) as refused:
        start_command(files)
    assert refused.value.code == "no_command"


def test_an_upload_is_unpacked_under_its_hash_and_its_program_can_be_started(tmp_path: Path) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("bot", "#!/bin/sh\n")
        archive.writestr("data.txt", "x")
    upload = take_upload(packed.getvalue(), tmp_path)
    assert upload.command == ("./bot",)
    assert (tmp_path / upload.hash / "bot").stat().st_mode & 0o111
    assert not (tmp_path / upload.hash / "data.txt").stat().st_mode & 0o111
    assert take_upload(packed.getvalue(), tmp_path) == upload


def test_a_folder_has_the_hash_that_it_gets_when_it_is_pushed(tmp_path: Path) -> None:
    mine = tmp_path / "mine"
    (mine / "tables" / "__pycache__").mkdir(parents=True)
    (mine / "bot").write_text("#!/bin/sh\n", encoding="utf-8")
    (mine / "tables" / "flop").write_text("1 2 3", encoding="utf-8")
    pushed = take_upload(_zipped(mine), tmp_path / "versions")
    assert hash_of_folder(mine) == pushed.hash
    (mine / "tables" / "__pycache__" / "x.pyc").write_bytes(b"x")
    (mine / "out").mkdir()
    (mine / "out" / "sprt.json").write_text("{}", encoding="utf-8")
    assert hash_of_folder(mine, mine / "out") == pushed.hash != hash_of_folder(mine)
    (mine / "tables" / "flop").write_text("1 2 4", encoding="utf-8")
    assert hash_of_folder(mine, mine / "out") != pushed.hash
