"""``python -m pokerd convert`` as a program: files, codes and exit codes, and what is left behind."""

from __future__ import annotations

import io
import os
import re
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from dealer.errors import RecordError
from dealer.records.convert import FORMATS
from dealer.rules.games import load_game
from pokerd.__main__ import main
from server.commands.convert import ConvertOptions, convert_file
from tests.support.called import called
from tests.support.programs import PYTHON, ROOT, environment, eventually

CONVERT = (PYTHON, "-m", "pokerd", "convert")
LOG = ROOT / "tests" / "golden" / "g24_n2_s5_tlog.log"


def lines(path: Path) -> list[str]:
    return [line for line in path.read_text("utf-8").splitlines() if line.startswith(("STATE:", "SCORE:"))]


Refused = Callable[..., str]


@pytest.fixture
def refused(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Refused:
    """The code of an error that is told in one line, with exit code 2 and nothing left behind."""
    monkeypatch.chdir(tmp_path)

    def code(*arguments: str | Path) -> str:
        before = {path: path.read_bytes() for path in tmp_path.iterdir() if path.is_file()}
        assert main(["convert", *map(str, arguments)]) == 2
        told = capsys.readouterr()
        found = re.fullmatch(r"pokerd: .+ \[([a-z_0-9]+)\]\n", told.err)
        assert found, told.err
        assert told.out == ""
        assert {path: path.read_bytes() for path in tmp_path.iterdir() if path.is_file()} == before
        return found[1]

    return code


def test_a_log_goes_through_all_formats_and_comes_back(tmp_path: Path) -> None:
    before = LOG
    for name in ("a.jsonl", "b.ohh", "c.phhs", "d.json", "e.log"):
        done = called("convert", before, tmp_path / name)
        assert (done.returncode, done.stderr) == (0, "")
        assert done.stdout == f"100 hands in {tmp_path / name}\n"
        before = tmp_path / name
    assert lines(before) == lines(LOG)
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "a.jsonl",
        "b.ohh",
        "c.phhs",
        "d.json",
        "e.log",
    ]


def test_through_pipes(tmp_path: Path) -> None:
    with LOG.open("rb") as log:
        done = subprocess.run(
            [*CONVERT, "-", "-", "--from", "acpc", "--to", "pokerstars", "--currency", "USD"],
            stdin=log, capture_output=True, cwd=tmp_path, env=environment(), timeout=60, check=True,
        )  # fmt: skip
    assert done.stderr == b""
    assert done.stdout.count(b"PokerStars Hand #") == 100
    assert "($50/$100 USD)" in done.stdout.decode("utf-8")
    assert list(tmp_path.iterdir()) == []


def test_line_ends_and_signatures_of_other_systems(tmp_path: Path) -> None:
    log = tmp_path / "x.log"
    log.write_bytes(b"\xef\xbb\xbf" + LOG.read_bytes().replace(b"\n", b"\r\n"))
    assert convert_file(ConvertOptions(str(log), str(tmp_path / "y.txt"))) == 100
    windows = (tmp_path / "y.txt").read_bytes().replace(b"\n", b"\r\n")
    (tmp_path / "z.txt").write_bytes(b"\xef\xbb\xbf" + windows)
    options = ConvertOptions(str(tmp_path / "z.txt"), str(tmp_path / "z.log"), game=GAME)
    assert convert_file(options) == 100
    assert lines(tmp_path / "z.log") == lines(LOG)


def test_the_game_of_a_log_is_the_file_beside_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Then one in the working directory; and ``--game`` comes before both."""
    folder, here = tmp_path / "folder", tmp_path / "here"
    for place in (folder, here):
        place.mkdir()
    game = load_game(GAME).text()
    (folder / "x.log").write_text(LOG.read_text("ascii").replace(f"{GAME}.game", "mine.game"), "ascii")
    monkeypatch.chdir(here)

    def code(**options: str) -> str:
        wanted = ConvertOptions(str(folder / "x.log"), str(tmp_path / "y.log"), force=True, **options)
        try:
            return str(convert_file(wanted))
        except RecordError as error:
            return error.code

    assert code() == "game_unknown"
    (here / "mine.game").write_text(game, "ascii")
    assert code() == "100"
    (folder / "mine.game").write_text(game.replace("blind = 100 50", "blind = 100 40"), "ascii")
    assert code() == "replay_differs"
    assert code(game=GAME) == "100"
    (here / "mine.game").unlink()
    (folder / "mine.game").write_text(game, "ascii")
    assert code() == "100"
    monkeypatch.chdir(tmp_path)
    assert called("convert", folder / "x.log", tmp_path / "z.log").returncode == 0


GAME = "holdem.nolimit.2p.reverse_blinds"


def test_what_exists_is_replaced_only_when_told(refused: Refused, tmp_path: Path) -> None:
    target = tmp_path / "out.phhs"
    target.write_text("precious")

    assert refused(LOG, target) == "out_exists"
    assert called("convert", LOG, target, "--force").returncode == 0
    assert target.read_text("utf-8").startswith("[1]\n")


@pytest.fixture
def broken(tmp_path: Path) -> Path:
    """A log whose 50th hand is wrong."""
    text = LOG.read_text("ascii").splitlines(keepends=True)
    text[53] = re.sub(r":(-?\d+)\|", r":1\1|", text[53])
    path = tmp_path / "broken.log"
    path.write_text("".join(text))
    return path


@pytest.mark.parametrize("name", [name for name in FORMATS if name != "phh"])
def test_nothing_half_written_stays_behind(refused: Refused, broken: Path, name: str) -> None:
    target = broken.parent / f"out{FORMATS[name].suffixes[0]}"
    assert refused(broken, target) == "replay_differs"
    target.write_text("precious")
    assert refused(broken, target, "--force") == "replay_differs"


def test_the_error_names_file_line_and_difference(broken: Path) -> None:
    done = called("convert", broken, broken.parent / "out.ohh")
    assert re.match(rf"pokerd: {re.escape(str(broken))}: .*\b54\b", done.stderr)


def test_every_way_to_be_refused(refused: Refused, tmp_path: Path) -> None:
    def file(name: str, text: str | bytes) -> str:
        (tmp_path / name).write_bytes(text.encode() if isinstance(text, str) else text)
        return name

    head, *rest = LOG.read_text("ascii").splitlines(keepends=True)
    kuhn = ROOT / "tests" / "golden" / "g13_kuhn3_s11_hash.log"
    cases: list[tuple[str, list[str | Path]]] = [
        ("unknown_format", [LOG, "x.csv"]),
        ("unknown_format", ["-", "x.log"]),
        ("os_error", ["missing.log", "x.phhs"]),
        ("os_error", [LOG, "missing/x.phhs"]),
        ("not_utf8", [file("a.log", b"\xff\xfe"), "x.phhs"]),
        ("bad_hand", [file("b.json", '[{"ohh": "\\ud800"}]'), "x.jsonl"]),
        ("no_hands", [file("c.txt", "\n\n"), "x.phhs"]),
        ("game_unknown", [file("d.log", "".join(rest)), "x.phhs"]),
        ("unknown_game", [LOG, "x.phhs", "--game", "bridge"]),
        ("replay_differs", [LOG, "x.phhs", "--game", "holdem.limit.2p.reverse_blinds"]),
        ("bad_header", [file("e.log", head[:30] + "\n" + "".join(rest)), "x.phhs"]),
        ("bad_header", [LOG, "x.phhs", "--from", "journal"]),
        ("bad_hand", [LOG, "x.phhs", "--from", "pokerstars"]),
        ("too_long", [file("f.log", "x" * (1 << 21)), "x.phhs"]),
        ("not_in_phh", [kuhn, "x.phhs"]),
        ("not_in_ohh", [kuhn, "x.ohh"]),
        ("not_in_pokerstars", [kuhn, "x.txt"]),
        ("not_in_phh", [LOG, "x.phh"]),
    ]
    for code, arguments in cases:
        assert refused(*arguments) == code, arguments


def test_names_that_are_no_text(refused: Refused, tmp_path: Path) -> None:
    """JSON can tell half of a character, a file cannot."""
    log = tmp_path / "x.json"
    assert convert_file(ConvertOptions(str(LOG), str(log))) == 100
    log.write_text(log.read_text("utf-8").replace('"p1_hash"', '"\\ud800"'), "utf-8")
    assert refused(log, "x.phhs") == "not_utf8"


def test_a_terminal_is_told_how_far_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    told = Terminal()
    monkeypatch.setattr("sys.stderr", told)
    monkeypatch.setattr("server.commands.convert._EVERY", 0.0)
    convert_file(ConvertOptions(str(LOG), str(tmp_path / "x.phhs")))
    assert re.search(r"\r64 hands, \d+ % ", told.getvalue())
    assert told.getvalue().endswith("\r\033[K")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_who_is_stopped_leaves_nothing_behind(tmp_path: Path, number: signal.Signals) -> None:
    arguments = [*CONVERT, "-", str(tmp_path / "x.phhs"), "--from", "acpc"]
    with subprocess.Popen(
        arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment()
    ) as process:
        assert process.stdin is not None
        process.stdin.write(LOG.read_bytes()[:-2000])
        process.stdin.flush()
        eventually(lambda: list(tmp_path.iterdir()))
        process.send_signal(number)
        said, errors = process.communicate(timeout=60)
    assert (process.returncode, said, errors) == (130, b"", b"")
    assert list(tmp_path.iterdir()) == []


def test_the_converted_log_of_a_pipe_can_be_cut_off(tmp_path: Path) -> None:
    """Who reads our output may stop reading."""
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "wb") as closed:
        done = subprocess.run(
            [*CONVERT, str(LOG), "-", "--to", "ohh"],
            stdin=subprocess.DEVNULL, stdout=closed, stderr=subprocess.PIPE,
            cwd=tmp_path, env=environment(), timeout=60, check=False,
        )  # fmt: skip
    assert done.returncode != 0
    assert b"Traceback" not in done.stderr
