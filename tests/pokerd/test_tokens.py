"""``pokerd token`` and ``pokerd admin``: what they take, and say without a server."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from pokerd.__main__ import command_parser, main
from server.auth.tokens import ACCESS_FILE, hash_token


def test_where_the_server_is_may_be_said_before_the_action(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["token", "--data", str(tmp_path / "a"), "issue", "ann"]) == 0
    assert main(["token", "--data", str(tmp_path / "b"), "issue", "bob", "--data", str(tmp_path / "a")]) == 0
    assert main(["token", "--data", str(tmp_path / "a"), "list"]) == 0
    told = capsys.readouterr().out
    assert re.findall("^(ann|bob)", told, re.MULTILINE) == ["ann", "bob"]
    assert not (tmp_path / "b").exists()
    closed = ["--url", "http://127.0.0.1:1"]
    for words in ([*closed, "show"], ["show", *closed], ["--url", "http://[", "ban", "x", *closed]):
        assert main(["admin", *words]) == 2
        assert "http://127.0.0.1:1" in capsys.readouterr().err


def test_a_bot_is_invited_by_name_or_with_parameters() -> None:
    tuned = {"bot": "raise", "parameters": {"often": True}}
    for text, bot in (("fair", "fair"), (json.dumps(tuned), tuned)):
        assert command_parser(["admin"]).parse_args(["admin", "invite", "table-1", text]).bot == bot
    with pytest.raises(SystemExit, match="2"):
        main(["admin", "invite", "table-1", '{"bot": '])


def test_the_list_tells_no_secret(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["token", "issue", "ann", "--data", str(tmp_path), "--rate", "7"]) == 0
    token = capsys.readouterr().out.strip()
    assert main(["token", "issue", "root", "--admin", "--data", str(tmp_path)]) == 0
    capsys.readouterr()
    assert main(["token", "list", "--data", str(tmp_path)]) == 0
    told = capsys.readouterr().out
    assert token not in told
    _, ann, root = [line.split() for line in told.splitlines()]
    assert (ann[0], ann[1], ann[3:]) == ("ann", "play", ["7", "1", "4096", hash_token(token)])
    assert root[:2] == ["root", "admin"]


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["issue", "a b"], "bad_name"),
        (["issue", "ann", "--rate", "0"], "bad_limit"),
        (["issue", "there"], "name_issued"),
        (["issue", "adaptive-11"], "name_issued"),
        (["issue", "FAIR-1", "--admin"], "name_issued"),
        # Its players would be fair, fair-2 and fair-3.
        (["issue", "fair", "--connections", "3"], "name_issued"),
        (["revoke", "nobody"], "unknown_name"),
    ],
)
def test_what_is_refused_changes_nothing(
    words: list[str], code: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["token", "issue", "there", "--data", str(tmp_path)]) == 0
    before = (tmp_path / ACCESS_FILE).read_bytes()
    assert main(["token", *words, "--data", str(tmp_path)]) == 2
    assert capsys.readouterr().err.endswith(f"[{code}]\n")
    assert (tmp_path / ACCESS_FILE).read_bytes() == before


def test_a_damaged_file_keeps_the_server_from_starting(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / ACCESS_FILE).write_text("{")
    assert main(["serve", "--data", str(tmp_path)]) == 2
    assert capsys.readouterr().err.endswith("[bad_access]\n")
