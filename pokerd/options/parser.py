"""The parser of the command line."""

from __future__ import annotations

import argparse
import re
import sys
from typing import Any, NoReturn


class CommandParser(argparse.ArgumentParser):
    """Tells a wrong option with a code, as all else that is wrong is told. Takes any negative number as an
    argument: argparse takes -1e20 and -inf for options (before Python 3.14).
    """

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._negative_number_matcher = re.compile(r"-(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$|-inf$", re.IGNORECASE)

    def error(self, message: str) -> NoReturn:
        self.print_usage(sys.stderr)
        self.exit(2, f"pokerd: {message} [bad_arguments]\n")
