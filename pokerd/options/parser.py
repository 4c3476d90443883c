"""The parser of the command line."""

from __future__ import annotations

import argparse
import sys
from typing import NoReturn


class CommandParser(argparse.ArgumentParser):
    """Tells a wrong option with a code, as all else that is wrong is told."""

    def error(self, message: str) -> NoReturn:
        self.print_usage(sys.stderr)
        self.exit(2, f"pokerd: {message} [bad_arguments]\n")
