"""``pokerd token`` beside a server that runs."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from pokerd.__main__ import main
from server.auth.tokens import ACCESS_FILE, hash_token
from tests.support.programs import PYTHON, ROOT, Program, outcome

POKERD = (PYTHON, "-m", "pokerd")
CALLER = (PYTHON, ROOT / "clients" / "examples" / "caller.py")


def issue(data: Path, name: str, *options: str) -> str:
    done = outcome(*POKERD, "token", "issue", name, "--data", data, *options)
    assert done.returncode == 0, done.stderr
    token = done.stdout.strip()
    assert f"token_hash: {hash_token(token)}" in done.stderr
    return token


def test_a_running_server_hears_of_what_is_issued_and_revoked(tmp_path: Path) -> None:
    data = tmp_path / "data"
    serve = (*POKERD, "serve", "--port", "0", "--web-port", "0", "--guests", "no", "--data", data)
    with Program(*serve) as server:
        url = server.says(r"listens at (ws://\S+)")[1]
        server.says("takes a token to play here")
        refused = outcome(*CALLER, "--url", url)
        assert refused.returncode == 1
        assert "bad_token" in refused.stderr
        token = issue(data, "ann")
        server_knows = (*CALLER, "--url", url, "--token", token, "--join", "table-1")
        came = False
        while not came:
            with Program(*server_knows) as bot:
                # The server looks twice a second; a bot that was too early is told so.
                came = bot.says("connected to|bad_token")[0] != "bad_token"
                if came:
                    bot.says("connected to pokerd .* as ann")
                    bot.says("table-1: .* seat")
                    done = outcome(*POKERD, "token", "revoke", "ANN", "--data", data)
                    assert done.returncode == 0
                    bot.says("revoked")
                assert bot.end() == 1
        assert "bad_token" in outcome(*server_knows).stderr
        assert token not in (data / ACCESS_FILE).read_text()
        assert not server.said("Traceback")


def test_an_administrator_ends_a_server_when_nobody_plays(tmp_path: Path) -> None:
    data = tmp_path / "data"
    root, player = issue(data, "root", "--admin"), issue(data, "player")
    with Program(*POKERD, "serve", "--port", "0", "--web-port", "0", "--data", data) as server:
        people = ("--url", server.says(r"people: (http://\S+)")[1])
        url = server.says(r"listens at (ws://\S+)")[1]
        with Program(*CALLER, "--url", url, "--token", player, "--join", "table-1") as bot:
            bot.says("10 hands")

            def admin(*words: str, token: str = root) -> subprocess.CompletedProcess[str]:
                return outcome(*POKERD, "admin", *words, *people, variables={"POKERD_ADMIN_TOKEN": token})

            # Before the action, too.
            shown = outcome(*POKERD, "admin", *people, "--token", root, "show")
            assert re.search(r"^ *(\d+)  token  player +127\.0\.0\.1 +table-1$", shown.stdout, re.MULTILINE)
            for token, code in (("", "no_token"), (player, "not_admin"), (root[:-1], "bad_token")):
                assert admin("drain", token=token).stderr.endswith(f"[{code}]\n")
            assert admin("pause", "table-9").stderr.endswith("[unknown_table]\n")
            assert admin("drain").returncode == 0
            assert server.end() == 0
            # It tries to come back.
            assert bot.stop() in (1, 130)
    assert not server.said("Traceback")
    (done,) = server.said('"administration"')
    assert '"by":"root"' in done.string
    assert root not in "".join(server.lines)


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
        assert "http://127.0.0.1:1 cannot be asked" in capsys.readouterr().err


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
