"""From an archive to a program."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

from server.bots.program_files import hash_of_folder
from server.commands.ladder import _zipped
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
