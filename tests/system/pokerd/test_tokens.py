"""Tokens and orders of administrators at a running server."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from server.auth.tokens import ACCESS_FILE, hash_token
from tests.support.called import called
from tests.support.paced import PACED
from tests.support.programs import PYTHON, ROOT, Program, outcome

POKERD = (PYTHON, "-m", "pokerd")
CALLER = (PYTHON, ROOT / "clients" / "examples" / "caller.py")


def issue(data: Path, name: str, *options: str) -> str:
    done = called("token", "issue", name, "--data", data, *options)
    assert done.returncode == 0, done.stderr
    token = done.stdout.strip()
    assert f"token_hash: {hash_token(token)}" in done.stderr
    return token


def test_a_running_server_hears_of_what_is_issued_and_revoked(tmp_path: Path) -> None:
    data = tmp_path / "data"
    serve = (*POKERD, "serve", "--port", "0", "--web-port", "0", "--guests", "no", "--bots", "")
    with Program(*serve, "--data", data) as server:
        url = server.says(r"listens at (ws://\S+)")[1]
        server.says("players need a token")
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


def test_an_administrator_ends_a_server_when_nobody_plays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = tmp_path / "data"
    root, player = issue(data, "root", "--admin"), issue(data, "player")
    with Program(*POKERD, "serve", "--port", "0", "--web-port", "0", "--data", data) as server:
        people = ("--url", server.says(r"people: (http://\S+)")[1])
        url = server.says(r"listens at (ws://\S+)")[1]
        with Program(*PACED, "--url", url, "--token", player, "--join", "table-1") as bot:
            bot.says("10 hands")

            def admin(*words: str, token: str = root) -> subprocess.CompletedProcess[str]:
                monkeypatch.setenv("POKERD_ADMIN_TOKEN", token)
                return called("admin", *words, *people)

            # Before the action, too.
            shown = outcome(*POKERD, "admin", *people, "--token", root, "show")
            assert re.search(r"^ *(\d+)  token  player +127\.0\.0\.1 +table-1$", shown.stdout, re.MULTILINE)
            for token, code in (("", "no_token"), (player, "not_admin"), (root[:-1], "bad_token")):
                assert admin("drain", token=token).stderr.endswith(f"[{code}]\n")
            assert admin("pause", "table-9").stderr.endswith("[unknown_table]\n")
            assert admin("open", "{").stderr.endswith("[bad_arguments]\n")
            zoe = admin("issue", "zoe").stdout.strip()
            assert admin("show", token=zoe).stderr.endswith("[not_admin]\n")
            for words in (
                ("open", '{"name": "Friday", "seats": 4}'),
                ("invite", "table-3", "call"),
                ("say", "--table", "table-3", "Welcome"),
                ("revoke", "zoe"),
            ):
                assert admin(*words).returncode == 0
            shown = admin("show")
            assert re.search(r"^table table-3: .*call-1$", shown.stdout, re.MULTILINE)
            assert re.search(r"^player +\d+ ", admin("players").stdout, re.MULTILINE)
            told = admin("statistics", "player", "--days", "1", "--mode", "cash").stdout
            assert re.search(r"^all +\d+ +[+-][\d.]+ +[+-][\d.]+ ± [\d.]+$", told, re.MULTILINE)
            assert admin("remove", "table-1", "player").returncode == 0
            monkeypatch.setenv("POKERD_ADMIN_TOKEN", root)
            assert outcome(*POKERD, "admin", "drain", *people).returncode == 0
            assert server.end() == 0
            # It tries to come back.
            assert bot.stop() in (1, 130)
    assert not server.said("Traceback")
    done = server.said('"administration"')
    assert all('"by":"root"' in one.string for one in done)
    actions = [match[1] for one in done if (match := re.search(r'"action":"(\w+)"', one.string))]
    assert actions == ["issue", "open", "invite", "say", "revoke", "remove", "drain"]
    assert not {root, zoe} & set("".join(server.lines).split('"'))
