"""What is told of ACPC programs: the dealer's command is run, its options, codes and conduct are compared."""

from __future__ import annotations

from pokerd.commands.dealer import parser
from protocol.acpc import FAULTS
from server.acpc_dealer.dealer import CODES
from tests.docs.pages import ACPC, code, rows, section


def test_every_option_of_the_dealer_is_told_with_its_default() -> None:
    told: dict[str, str] = {}
    for cell, *others in rows(section(ACPC, "## The dealer")):
        for option in code(cell):
            if option.startswith("-"):
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
    told = [name for cell, _ in rows(section(ACPC, "### How it ends")) for name in code(cell)]
    assert sorted(told) == sorted([*CODES, "usage", "os_error"])


def test_the_conduct_of_every_fault_is_told() -> None:
    told = [code(cell)[0] for _, cell, _ in rows(section(ACPC, "### Conduct"))]
    assert sorted(told) == sorted(FAULTS)
