"""Commands that the documents tell and tests run, and all that the program has."""

from __future__ import annotations

import argparse
from functools import cache

from pokerd.__main__ import command_parser
from tests.docs.pages import ACPC, FAIRNESS, blocks, command_lines

#: Each is the only one of its kind on its page.
(DEALER,) = [line for block in blocks(ACPC, "sh") for line in block.text.splitlines() if " dealer " in line]
(BRIDGE,) = [line for block in blocks(ACPC, "sh") for line in command_lines(block) if " bridge " in line]
(REDEAL,) = [block.text.strip() for block in blocks(FAIRNESS, "sh")]


@cache
def subcommands() -> dict[str, argparse.ArgumentParser]:
    """The parsers of the program's commands."""
    (action,) = [one for one in command_parser()._actions if isinstance(one, argparse._SubParsersAction)]
    return dict(action.choices)
