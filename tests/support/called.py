"""Commands that are called in this process: what they do is tested without waiting for Python to start."""

from __future__ import annotations

from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from subprocess import CompletedProcess

from pokerd.__main__ import main


def called(*words: str | Path) -> CompletedProcess[str]:
    """Run ``pokerd`` with these words: exit code, output and errors, as of a process."""
    told, errors = StringIO(), StringIO()
    arguments = [str(word) for word in words]
    with redirect_stdout(told), redirect_stderr(errors):
        try:
            code = main(arguments)
        except SystemExit as end:
            code = int(end.code or 0)
    return CompletedProcess(arguments, code, told.getvalue(), errors.getvalue())
