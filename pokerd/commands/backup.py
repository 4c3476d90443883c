"""``pokerd backup``: a consistent copy of a database."""

from __future__ import annotations

import argparse
from pathlib import Path

HELP = "back up a competition or the hands of open tables, even while they run"


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    parser.set_defaults(run=_backup)
    parser.add_argument(
        "directory", type=Path, metavar="DIR", help="the directory of a competition, or serve's --data"
    )
    parser.add_argument("file", type=Path, metavar="FILE", help="the copy; must not exist")


def _backup(options: argparse.Namespace) -> int:
    from server.storage.hand_db import backup_folder

    checksum = backup_folder(options.directory, options.file)
    print(f"{options.file}: sha256 {checksum}")
    return 0
