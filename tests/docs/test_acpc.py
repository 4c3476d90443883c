"""What is told of ACPC programs: the dealer's command is run, its options, codes and conduct are compared."""

from __future__ import annotations

import shlex
import subprocess
import sys
from pathlib import Path

from pokerd.commands.dealer import parser
from protocol.acpc import FAULTS
from server.acpc_dealer.dealer import CODES
from tests.docs.pages import ROOT, blocks, code, rows, section
from tests.docs.workspace import environment, lay

ACPC = ROOT / "docs" / "acpc.md"
#: The command on the page.
(DEALER,) = [line for block in blocks(ACPC, "sh") for line in block.text.splitlines() if " dealer " in line]


def test_the_dealer_of_the_page_holds_a_match(tmp_path: Path) -> None:
    place = lay(tmp_path)
    command = [*shlex.split(DEALER), "--host", "127.0.0.1"]
    with subprocess.Popen(
        command,
        cwd=place,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as dealer:
        assert dealer.stdout is not None
        ports = dealer.stdout.readline().split()
        players = [
            subprocess.Popen([sys.executable, "-m", "benchmarks.acpc_player", port], cwd=ROOT)
            for port in ports
        ]
        output, _ = dealer.communicate(timeout=30)
        assert [player.wait(30) for player in players] == [0, 0]
    assert dealer.returncode == 0
    assert output.startswith("SCORE:")
    log = (place / "match1.log").read_text(encoding="ascii")
    assert log.count("\nSTATE:") == 100
    assert log.endswith(output)


def test_every_option_of_the_dealer_is_told_with_its_default() -> None:
    told: dict[str, str] = {}
    for cell, *others in rows(section(ACPC, "## The dealer").split("| file |")[0]):
        for option in code(cell):
            told[option.split()[0]] = others[0]
    known = {
        option: action
        for action in parser()._actions
        for option in action.option_strings
        if action.dest != "help"
    }
    assert set(told) == set(known)
    for option, action in known.items():
        if action.nargs != 0 and action.default != ():
            assert told[option] == f"`{action.default}`", option


def test_every_code_is_told_and_no_other() -> None:
    told = dict(rows(section(ACPC, "### How it ends")))
    ours = {code(cell)[0]: text for cell, text in told.items()}
    assert set(ours) == {*CODES, "usage", "os_error"}
    for name, text in CODES.items():
        assert ours[name] == text


def test_the_conduct_of_every_fault_is_told() -> None:
    told = [name for cell, *_ in rows(section(ACPC, "### Conduct")) for name in code(cell) if name in FAULTS]
    assert sorted(told) == sorted(FAULTS)
