"""``coordinator`` and ``node``: what they refuse, with which code."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

from pokerd.__main__ import main
from server.bots import sandbox
from tests.pokerd.commands import fleet_commands, refused
from tests.support.certificates import make_certificate
from tests.support.ports import free_port


def test_no_database(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("server.fleet.database.STARTING", 0.5)
    for given in ("", "nonsense"):
        for command in fleet_commands(tmp_path, given):
            assert refused(command, capsys) == "bad_database"
    for command in fleet_commands(tmp_path, f"postgresql://127.0.0.1:{free_port()}/x"):
        assert main(command) == 2
        told = capsys.readouterr().err
        assert told.endswith("[no_database]\n")
    assert not (tmp_path / "out").exists()


def test_without_the_libraries(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    find = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name: None if name == "procrastinate" else find(name)
    )
    for command in fleet_commands(tmp_path, "postgresql://127.0.0.1/x"):
        assert refused(command, capsys) == "no_fleet"


def test_a_name_that_no_node_has(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, command = fleet_commands(tmp_path, "postgresql://127.0.0.1/x")
    assert refused([*command, "--name", "a/b"], capsys) == "bad_node"


@pytest.mark.parametrize(
    "url",
    ["http://x", "x:8000", "ws://", "ws://x:0", "wss://x:99999", "ws://[x", "//x", "ws://\udcff"],
    ids=ascii,
)
def test_an_address_where_no_node_is(url: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, command = fleet_commands(tmp_path, "postgresql://127.0.0.1/x")
    assert refused([*command, f"--url={url}"], capsys) == "bad_url"


def test_a_node_with_tls_is_not_reached_without(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    certificate, key = make_certificate(tmp_path)
    with_tls = ["--tls-cert", str(certificate), "--tls-key", str(key)]
    _, command = fleet_commands(tmp_path, "postgresql://127.0.0.1/x")
    assert refused([*command, *with_tls, "--url", "ws://node.example:8000"], capsys) == "bad_url"


def test_files_that_are_no_certificate(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for command in fleet_commands(tmp_path, "postgresql://127.0.0.1/x"):
        for given in (["--tls-cert", "x"], ["--tls-cert", "x", "--tls-key", "x"]):
            assert refused([*command, *given], capsys) == "bad_certificate"
    assert not (tmp_path / "out").exists()


def test_a_node_that_must_confine_bots_and_cannot(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sandbox, "landlock_version", lambda: 0)
    _, command = fleet_commands(tmp_path, "postgresql://127.0.0.1/x")
    assert refused([*command, "--sandbox", "require"], capsys) == "no_sandbox"
