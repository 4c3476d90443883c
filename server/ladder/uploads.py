"""From a pushed archive to a program that may play: where its files are, and how it is started."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Final

import msgspec
from msgspec import Meta

from server.ladder.errors import LadderError

#: The file in a pushed folder that says how to start it.
COMMAND_FILE: Final = "bot.toml"
#: Without it: the first of these files that is there, and its command.
_USUAL: Final = (
    ("bot.py", ("{python}", "bot.py")),
    ("main.py", ("{python}", "main.py")),
    ("bot.mjs", ("node", "bot.mjs")),
    ("bot", ("./bot",)),
    ("run.sh", ("sh", "run.sh")),
)


class _Command(msgspec.Struct, forbid_unknown_fields=True):
    command: Annotated[list[Annotated[str, Meta(min_length=1)]], Meta(min_length=1, max_length=64)]


def start_command(files: Path) -> tuple[str, ...]:
    """Return the command that starts the program in a folder: that of its ``bot.toml``, or the usual one for
    ``bot.py``, ``main.py``, ``bot.mjs``, ``bot`` or ``run.sh``. Words that name a file of the folder become
    its absolute path. Raises ``LadderError`` (``no_command``).
    """
    given = files / COMMAND_FILE
    if given.is_file():
        try:
            words: Sequence[str] = msgspec.convert(
                tomllib.loads(given.read_text(encoding="utf-8")), _Command
            ).command
        except (UnicodeDecodeError, tomllib.TOMLDecodeError, msgspec.ValidationError) as error:
            raise LadderError("no_command", f"{COMMAND_FILE} cannot be used: {error}") from None
    else:
        words = next((command for name, command in _USUAL if (files / name).is_file()), ())
    if not words:
        names = ", ".join(name for name, _ in _USUAL)
        raise LadderError(
            "no_command", f"the folder has no {COMMAND_FILE} that says how to start it, and none of {names}"
        )
    return tuple(_absolute(files, word) for word in words)


def _absolute(files: Path, word: str) -> str:
    path = files / word
    inside = path.resolve().is_relative_to(files.resolve())
    return str(path.resolve()) if inside and path.is_file() else word


def unpack(data: bytes, folder: Path) -> str:
    import hashlib
    import io
    import shutil
    import zipfile

    h = hashlib.sha256(data).hexdigest()
    out = folder / h
    if not out.exists():
        with zipfile.ZipFile(io.BytesIO(data)) as z:
            z.extractall(out)
    return h
