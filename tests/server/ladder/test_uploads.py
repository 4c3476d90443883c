"""From an archive to a program."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path
from random import randbytes

import pytest

from server.bots.program_files import hash_of_folder
from server.commands.ladder import _zipped, push
from server.ladder.errors import LadderError
from server.ladder.uploads import take_upload


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


@pytest.mark.parametrize("more", [(), ("__MACOSX/mine/._bot.py",)])
def test_a_folder_that_was_packed_as_a_whole_is_the_same_program(
    tmp_path: Path, more: tuple[str, ...]
) -> None:
    packed = []
    for folder, beside in (("", ()), ("mine/", more)):
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w") as archive:
            for path in ("bot.py", "tables/flop"):
                archive.writestr(f"{folder}{path}", path)
            for path in beside:
                archive.writestr(path, "x")
        packed.append(take_upload(out.getvalue(), tmp_path))
    assert packed[0] == packed[1]
    assert (tmp_path / packed[0].hash / "tables" / "flop").is_file()


@pytest.mark.parametrize(
    ("url", "token", "code"),
    [
        ("ftp://127.0.0.1", "x", "bad_url"),
        ("http://[::1", "x", "bad_url"),
        ("http://127.0.0.1:port", "x", "unreachable"),
        ("http://a b", "x", "unreachable"),
        ("http://127.0.0.1:9", "токен", "bad_token"),
        ("http://127.0.0.1:9", "a\nb", "bad_token"),
    ],
)
def test_what_cannot_be_sent_is_refused_with_a_code(tmp_path: Path, url: str, token: str, code: str) -> None:
    (tmp_path / "bot.py").write_text("", encoding="utf-8")
    with pytest.raises(LadderError) as refused:
        push(tmp_path, url, token)
    assert refused.value.code == code


def test_what_is_too_large_is_not_sent(tmp_path: Path) -> None:
    with (tmp_path / "mine.zip").open("wb") as file:
        file.truncate(1 << 40)
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "bot.py").write_bytes(randbytes(17 << 20))
    for path in (tmp_path / "mine.zip", tmp_path / "mine"):
        with pytest.raises(LadderError) as refused:
            push(path, "http://127.0.0.1:9", "x")
        assert refused.value.code == "too_large"
