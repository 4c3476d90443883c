"""The parser of the command line."""

from __future__ import annotations

import argparse
import re
import sys
from typing import Any, NoReturn

__all__ = ["CommandParser"]


class CommandParser(argparse.ArgumentParser):
    """Tells a wrong option with a code, as all else that is wrong is told."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        # Everywhere a value: -1/50 and -1e9 too, which argparse takes for options that do not exist.
        self._negative_number_matcher = re.compile(r"-\.?\d")

    def error(self, message: str) -> NoReturn:
        self.print_usage(sys.stderr)
        self.exit(2, f"pokerd: {message} [bad_arguments]\n")
