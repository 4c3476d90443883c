"""A place to run the documents' commands in: the repository by links; what they write lands elsewhere."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.conftest import MARK
from tests.docs.pages import ROOT

_NOT_LINKED = {".git", ".venv", "results", "var", "logs", "build", "dist"}


def lay(folder: Path) -> Path:
    """Make ``folder`` look like a checkout with its environment in ``.venv``."""
    for entry in ROOT.iterdir():
        if entry.name not in _NOT_LINKED and not entry.name.endswith("_cache"):
            (folder / entry.name).symlink_to(entry)
    (folder / ".venv").symlink_to(sys.prefix)
    return folder


def environment(**more: str) -> dict[str, str]:
    """The variables of a shell in which ``.venv`` is active and nothing of pokerd is set."""
    ours = [name for name in os.environ if name.startswith("POKERD_") and name != MARK]
    kept = {name: value for name, value in os.environ.items() if name not in ours}
    path = f"{Path(sys.prefix) / 'bin'}{os.pathsep}{kept.get('PATH', '')}"
    return {**kept, "PATH": path, "PYTHONDONTWRITEBYTECODE": "1", **more}


def shell(command: str, folder: Path, **more: str) -> str:
    """Run one command line as a user would; what it prints. Raises ``CalledProcessError`` when it fails."""
    done = subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        env=environment(**more),
        stdout=subprocess.PIPE,
        text=True,
        timeout=150,
        check=True,
    )
    return done.stdout
