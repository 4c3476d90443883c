"""``python -m pokerd`` as a program: what it prints, its exit codes, and that it never leaves a bot behind.

What ``compete`` refuses, code by code, and what ``verify`` finds is in ``tests/server``.
"""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
from pathlib import Path
from typing import Any

import psutil
import pytest

from pokerd.__main__ import main
from server.bots import reaper
from strategy.registry import strategy_names
from tests.pokerd.commands import refused
from tests.support.called import called
from tests.support.competitions.arena import animal, bot, competition, division
from tests.support.programs import PYTHON, ROOT, Program, eventually, outcome

COMMANDS = (
    "admin",
    "audit",
    "backup",
    "bot",
    "bridge",
    "check-bot",
    "compete",
    "convert",
    "coordinator",
    "dealer",
    "evaluate",
    "evolve",
    "exploitability",
    "ladder",
    "new-bot",
    "node",
    "pushfold",
    "pushfold-match",
    "replay",
    "rules",
    "schema",
    "serve",
    "slumbot",
    "sprt",
    "strength",
    "study",
    "token",
    "train",
    "verify",
)
POKERD = (PYTHON, "-m", "pokerd")
KUHN = division("kuhn", game="kuhn.limit.2p", hands=3)
PAIR = [bot(name, run=name, reset="message", tables=2) for name in ("call", "raise")]


# Help.


@pytest.mark.parametrize("program", [POKERD, (str(Path(PYTHON).with_name("pokerd")),)], ids=["-m", "script"])
def test_the_program_says_what_it_can_do(program: tuple[str, ...]) -> None:
    done = outcome(*program, "--help")
    assert (done.returncode, done.stderr) == (0, "")
    listed = re.findall(r"^    ([a-z-]+)(?:  |$)", done.stdout, re.MULTILINE)
    assert sorted(listed) == list(COMMANDS)


def test_without_a_command_it_is_exit_code_2() -> None:
    done = outcome(*POKERD)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("usage: pokerd")
    assert done.stderr.endswith(" [bad_arguments]\n")


@pytest.mark.parametrize("words", [["schema"], ["rules", "kuhn.limit.2p"]], ids=["much", "little"])
def test_when_its_reader_is_gone_it_ends_without_a_word(words: list[str]) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    try:
        done = subprocess.run([*POKERD, *words], stdout=writer, stderr=subprocess.PIPE, check=False)
    finally:
        os.close(writer)
    assert (done.returncode, done.stderr.decode()) == (128 + signal.SIGPIPE, "")


def test_a_misspelled_command_is_told_the_nearest(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["tokens"])
    assert re.search(r"\btoken\b", capsys.readouterr().err)


@pytest.mark.parametrize(
    "arguments",
    [
        ["pushfold"],
        ["pushfold", "--stack"],
        ["pushfold", "--stack", "10", "--ranking", "best"],
        ["evolve", "--seed", "x"],
        ["serve", "--seats", "11"],
        ["bot", "fair", "--tables", "x"],
        ["rules", "kuhn.limit.2p", "--nothing"],
        ["xyzzy"],
    ],
)
def test_wrong_arguments_have_a_code(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main(arguments)
    assert end.value.code == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.startswith("usage: pokerd")
    assert told.err.endswith(" [bad_arguments]\n")


@pytest.mark.parametrize(
    "command",
    [
        ("check-bot",),
        ("compete",),
        ("convert",),
        ("coordinator",),
        ("exploitability",),
        ("new-bot",),
        ("node",),
        ("pushfold",),
        ("replay",),
        ("rules",),
        ("serve",),
        ("strength",),
        ("study",),
        ("train",),
        ("verify",),
        ("bot", "fair"),
    ],
)
def test_every_command_has_help(command: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main([*command, "--help"])
    assert end.value.code == 0
    told = capsys.readouterr().out
    assert "usage: " in told
    # No option without a word on what it is for.
    for option in re.findall(r"^  (--[^\n]+(?:\n {4,}[^\n]+)?)", told, re.MULTILINE):
        assert re.search(r"\s{2,}\S", option), option


def test_the_help_of_bot_lists_the_bots(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["bot", "--help"])
    told = capsys.readouterr().out
    assert all(f"\n  {name} " in told for name in strategy_names())


# Names.


@pytest.mark.parametrize(
    "arguments",
    [
        ["bot", "nobody"],
        ["serve", "--port", "0", "--bots", "fair,nobody"],
        ["serve", "--port", "0", "--exhibition", "fair,nobody"],
    ],
)
def test_an_unknown_bot(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert refused(arguments, capsys) == "unknown_strategy"
    main(arguments)
    told = capsys.readouterr().err
    assert "'nobody'" in told
    assert all(name in told for name in strategy_names())


@pytest.mark.parametrize(
    ("name", "given", "told"),
    [
        ("call", '{"raise_at": 0.5}', "call has none"),
        ("adaptive", '{"nerve": 1}', "nerve = 1: unknown; there are raise_at, "),
        ("adaptive", '{"raise_at": 7}', "raise_at = 7: must be a number from 0 to 1"),
        ("adaptive", '{"raise_at"', "not JSON"),
        ("adaptive", "no/such/file.toml", "cannot be read"),
    ],
)
@pytest.mark.parametrize("way", ["option", "environment"])
def test_bad_parameters_of_a_bot(
    way: str,
    name: str,
    given: str,
    told: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if way == "environment":
        monkeypatch.setenv("POKERD_PARAMETERS", given)
    arguments = ["bot", name, *(["--parameters", given] if way == "option" else [])]
    assert refused(arguments, capsys) == "bad_parameters"
    main(arguments)
    assert told in capsys.readouterr().err


@pytest.mark.parametrize("game", ["bridge", "", "no/such/file.game", "games"])
def test_an_unknown_game(game: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert refused(["rules", game], capsys) in ("unknown_game", "unreadable_game")


def test_a_file_that_is_no_game(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "x.game").write_text("GAMEDEF\nlimit\nnumPlayers = 2\nEND GAMEDEF\n")
    assert refused(["rules", str(tmp_path / "x.game")], capsys) == "missing_key"


def test_a_bot_of_a_competition_that_is_none_of_ours(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "c.toml").write_text(competition([*PAIR, bot("x", run="nobody")], [KUHN]))
    arguments = ["compete", str(tmp_path / "c.toml"), "--out", str(tmp_path / "out")]
    assert refused(arguments, capsys) == "unknown_bot"
    assert not (tmp_path / "out").exists()


# Rules.


@pytest.mark.parametrize(
    ("game", "decisions", "folds", "showdowns"),
    [
        ("kuhn.limit.2p", 4, 2, 3),
        ("leduc.limit.2p", 36, 24, 25),
        ("holdem.limit.2p.reverse_blinds", 6378, 5103, 5103),
    ],
)
def test_the_betting_tree_is_counted(
    game: str, decisions: int, folds: int, showdowns: int, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in (game, f"{game}.game", str(ROOT / "games" / f"{game}.game")):
        assert main(["rules", name, "--json"]) == 0
        counts = json.loads(capsys.readouterr().out)
        assert counts["game"].startswith(game)
        assert (counts["decisions"], counts["folds"], counts["showdowns"]) == (decisions, folds, showdowns)
        assert sum(counts["streets"].values()) == decisions
    assert main(["rules", game]) == 0
    told = capsys.readouterr().out
    assert told.startswith("GAMEDEF\n")
    for number, what in ((decisions, "decisions"), (folds, "ends by folding"), (showdowns, "showdowns")):
        assert re.search(rf"\b{number} {what}$", told, re.MULTILINE)


def test_a_no_limit_tree_is_too_large(capsys: pytest.CaptureFixture[str]) -> None:
    assert refused(["rules", "holdem.nolimit.2p.reverse_blinds", "--json"], capsys) == "tree_too_large"


# A competition from its file to its check.


def written(folder: Path, text: str) -> Path:
    file = folder / "mine.toml"
    file.write_text(text)
    return file


def test_results_go_by_the_name_of_the_competition_where_nothing_is_yet(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    file = written(tmp_path, competition(PAIR, [KUHN]))
    for expected in ("results/test", "results/test-2"):
        done = outcome(*POKERD, "compete", file, "--workers", "2", cwd=tmp_path)
        assert (done.returncode, done.stderr) == (0, "")
        assert f"records in {expected}\n" in done.stdout
        assert "2/2 sessions, 6 hands, " in done.stdout
        assert (tmp_path / expected / "standings.md").read_text() in done.stdout
        checked = called("verify", expected)
        assert checked.returncode == 0
        assert checked.stdout.startswith(f"{expected}: 2 sessions, 6 hands ")
    standings = tmp_path / "results" / "test-2" / "standings.json"
    standings.write_text(standings.read_text().replace('"hands": 3', '"hands": 4'))
    changed = called("verify", "results/test-2")
    assert changed.returncode == 1
    assert "standings.json" in changed.stdout
    (tmp_path / "results" / "test" / "seed.json").unlink()
    unfinished = called("verify", "results/test")
    assert unfinished.returncode == 2
    assert unfinished.stderr.endswith("[unfinished]\n")


def test_what_means_the_same_but_is_written_otherwise_is_a_difference(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """``verify`` compares bytes, wherever it knows how they must be."""
    cup = division("cup", table={"mode": "tournament", "players": 2, "stack": 40, "levels": [[10, 20, 0, 5]]})
    out = tmp_path / "out"
    done = outcome(*POKERD, "compete", written(tmp_path, competition(PAIR, [KUHN, cup])), "--out", out)
    assert done.returncode == 0
    journal = "hands/kuhn/m0000-l000-s0.jsonl"
    for name, old, new in (
        (journal, b",1,", b",1.0,"),
        (journal, b"]]\n", b"]] \n"),
        (journal.replace("jsonl", "log"), b"\n", b"\r\n"),
        ("games/kuhn.game", b"GAMEDEF\n", b"# Kuhn\nGAMEDEF\n"),
        ("games/cup.game", b"blind = 20 10", b"blind = 10 5"),
        ("standings.json", b"\n", b"\n\n"),
    ):
        whole = (out / name).read_bytes()
        assert old in whole
        (out / name).write_bytes(whole.replace(old, new))
        assert main(["verify", str(out)]) == 1
        assert f"{out / name}: line " in capsys.readouterr().out
        (out / name).write_bytes(whole)
    assert main(["verify", str(out)]) == 0


@pytest.mark.parametrize(
    "table",
    [
        {"mode": "cash", "players": 2, "levels": [[5, 10, 0, 3]]},
        {"mode": "tournament", "players": 2, "levels": [[5, 10, 0, 3], [20, 10, 0, 3]]},
    ],
    ids=["cash", "small-above-big"],
)
def test_levels_without_sense(
    table: dict[str, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = written(tmp_path, competition(PAIR, [division("x", table=table)]))
    assert refused(["compete", str(file), "--out", str(tmp_path / "out")], capsys) == "bad_field"
    assert not (tmp_path / "out").exists()


def test_an_existing_competition_is_refused_and_left_as_it_is(tmp_path: Path) -> None:
    """Also one that was interrupted before its first log line."""
    file = written(tmp_path, competition(PAIR, [KUHN]))
    out = tmp_path / "out"
    (out / "hands" / "kuhn").mkdir(parents=True)
    (out / "hands" / "kuhn" / "m0000-l000-s0.jsonl").write_text("{}\n")
    before = state(out)
    done = called("compete", file, "--out", out)
    assert done.returncode == 2
    assert done.stderr.endswith("[out_exists]\n")
    assert done.stdout == ""
    assert state(out) == before


def state(folder: Path) -> dict[str, tuple[int, bytes]]:
    """Everything in a folder, with the time of its last change."""
    return {
        str(path.relative_to(folder)): (path.stat().st_mtime_ns, path.read_bytes() if path.is_file() else b"")
        for path in [folder, *folder.rglob("*")]
    }


# Ways to end one early.

#: Starts a child that stays, then plays.
FATHER = """
import subprocess, sys
subprocess.Popen([sys.executable, "-c", "import signal; print('born', flush=True); signal.pause()"])
from tests.zoo.keeper import come_in, play
play(come_in())
"""
LONG = division("long", game="holdem.limit.3p", hands=100_000, matches=10)


class Running:
    """A competition in full swing, and the processes and process groups of its bots."""

    def __init__(self, folder: Path, *bots: dict[str, Any]) -> None:
        text = competition(bots, [LONG], workers=1)
        self.out = folder / "out"
        self.program = Program(*POKERD, "compete", written(folder, text), "--out", self.out)
        eventually(self.plays)
        started = psutil.Process(self.program.process.pid).children(recursive=True)
        self.bots = [process for process in started if reaper.__file__ not in process.cmdline()]
        self.groups = {os.getpgid(process.pid) for process in self.bots}

    def plays(self) -> bool:
        return any(path.stat().st_size > 4096 for path in self.out.rglob("*.jsonl"))

    def left(self) -> list[str]:
        """Who is still there in the bots' process groups."""
        found = []
        for process in psutil.process_iter():
            try:
                if os.getpgid(process.pid) in self.groups and process.status() != psutil.STATUS_ZOMBIE:
                    found.append(" ".join(process.cmdline()))
            except (ProcessLookupError, psutil.NoSuchProcess):
                continue
        return found

    def unfinished(self) -> bool:
        """Whether nothing is scored, and ``verify`` says so."""
        done = called("verify", self.out)
        return not (self.out / "seed.json").exists() and done.stderr.endswith("[unfinished]\n")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP], ids=lambda one: one.name)
def test_stopped_by_a_signal_it_takes_its_bots_along(number: signal.Signals, tmp_path: Path) -> None:
    father = bot("father", command=["{python}", "-c", FATHER])
    running = Running(tmp_path, father, bot("fair", run="fair"), PAIR[0])
    with running.program as program:
        # Each bot leads a group of its own; the child is in its father's.
        assert len(running.bots) == 4
        assert len(running.groups) == 3
        assert os.getpgid(program.process.pid) not in running.groups
        assert program.stop(number) == 130
        assert running.left() == []
    assert program.said(r"^stopped: ")
    assert not program.said("Traceback")
    assert running.unfinished()


def test_impatience_leaves_nothing_behind_either(tmp_path: Path) -> None:
    """More signals while it waits for a bot that does not want to end, and has to be killed."""
    running = Running(tmp_path, animal("stubborn", reset="message"), bot("fair", run="fair"), PAIR[0])
    with running.program as program:
        program.process.send_signal(signal.SIGINT)
        eventually(lambda: len(running.left()) == 1)
        program.process.send_signal(signal.SIGINT)
        assert program.stop(signal.SIGTERM) == 130
        assert running.left() == []
    assert not program.said("Traceback")


def test_stopped_at_once(tmp_path: Path) -> None:
    """Before the bots have come, some may just be starting."""
    # Those of the first eight sessions: three at each, and two that load long.
    bots = [bot(name) for name in ("call", "fair", "random", "loki1")]
    file = written(tmp_path, competition(bots, [LONG], workers=8))
    with Program(*POKERD, "compete", file, "--out", tmp_path / "out") as program:
        program.says("^deals are committed to: ")
        assert program.stop(signal.SIGINT) == 130
    assert not program.said("Traceback")


def test_killed_its_bots_end_by_themselves(tmp_path: Path) -> None:
    """Nobody is there to end them: those that use the SDK give up soon, the others lose their connection."""
    bots = [
        bot("fair", run="fair"),
        bot("json", command=["{python}", "clients/examples/json_bot.py"]),
        bot("caller", command=["{python}", "clients/examples/caller.py"], reset="message"),
    ]
    running = Running(tmp_path, *bots)
    with running.program as program:
        assert len(running.bots) == 3
        assert program.stop(signal.SIGKILL) == -signal.SIGKILL
        _, alive = psutil.wait_procs(running.bots, timeout=10)
        assert alive == []
    assert running.unfinished()


def test_a_program_that_does_not_exist_is_refused_before_play(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bots = [*PAIR, bot("typo", command=["{pyton}", "bot.py"])]
    file, out = written(tmp_path, competition(bots, [KUHN])), tmp_path / "out"
    assert main(["compete", str(file), "--out", str(out)]) == 2
    said = capsys.readouterr().err
    assert "[cannot_start]" in said
    assert "typo" in said
    assert not out.exists() or not any(out.iterdir())


def test_a_bot_that_dies_does_not_stop_the_others(tmp_path: Path) -> None:
    """Its seat is played by the policy; the competition goes on, and says whose play it was not. So it does
    of one that never came, whenever it is asked.
    """
    bots = [
        *PAIR,
        bot("mortal", command=["{python}", "-c", "print('no cards'); raise SystemExit(3)"]),
        bot("nobody", token="nobody-token"),
    ]
    file = written(tmp_path, competition(bots, [KUHN], time={"start_ms": 10_000}))
    out = tmp_path / "out"
    done = outcome(*POKERD, "compete", file, "--out", out)
    assert done.returncode == 4
    assert re.search(r"^\| mortal .*\| +6 \|", done.stdout, re.MULTILINE)
    for again in (done, called("compete", out), called("compete", out, "--rescore")):
        assert again.returncode == 4
        line = r"^(\w+) .* (\d+) of its (\d+) decisions(?:; .* (\S+))?$"
        marked = re.findall(line, again.stdout, re.MULTILINE)
        assert [name for name, *_ in marked] == ["mortal", "nobody"]
        assert all(int(forced) == int(made) > 0 for _, forced, made, _ in marked)
        assert "no cards" in Path(marked[0][3]).read_text("utf-8")
    assert called("verify", out).returncode == 0
    standings = json.loads((out / "standings.json").read_text())["divisions"][0]
    assert standings["marked"] == ["mortal", "nobody"]
    for name in PAIR:
        assert standings["decisions"][name["name"]]["forced"] == 0
    unmarked = (out / "standings.json").read_text().replace('"mortal",\n    "nobody"', '"nobody"')
    (out / "standings.json").write_text(unmarked)
    assert called("verify", out).returncode == 1


@pytest.mark.parametrize("depth", ["0", "1", "1-1", "10-1", "1-1001", "x", "1-", "-5", "1-2-3"])
def test_a_depth_that_is_none(depth: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["serve", f"--stack-bb={depth}"])
    assert ended.value.code == 2
    assert "--stack-bb" in capsys.readouterr().err
