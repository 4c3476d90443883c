"""The files of a bot's folder, and how they are started."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Final

import msgspec
from msgspec import Meta

from server.bots.unpack import UnpackError, hash_of_files

#: Folders that are no part of a program.
_LEFT_OUT: Final = frozenset({"__pycache__", ".git", ".venv", "node_modules"})
#: The file of a pushed folder that says how to start it.
COMMAND_FILE: Final = "bot.toml"
#: Its bytes at most: more of it can be made to take any time.
MAX_COMMAND_FILE: Final = 4096
#: Without it: the first of these files that is there, and its command.
_USUAL: Final = (
    ("bot.py", ("{python}", "bot.py")),
    ("main.py", ("{python}", "main.py")),
    ("bot.mjs", ("node", "bot.mjs")),
    ("bot", ("./bot",)),
    ("run.sh", ("sh", "run.sh")),
)


class _Command(msgspec.Struct, forbid_unknown_fields=True):
    command: Annotated[list[Annotated[str, Meta(pattern=r"^[^\0]+$")]], Meta(min_length=1, max_length=64)]


def executable(command: Sequence[str]) -> str:
    """Return the file of a program that its command executes, or ""."""
    return command[0].removeprefix("./") if command[0].startswith("./") else ""


def without_folder(files: Mapping[str, bytes]) -> Mapping[str, bytes]:
    """Return the files of a program by their paths in its folder, if it was packed with that: file managers
    do so, and the Mac's adds another one.
    """
    mine = {path: content for path, content in files.items() if not path.startswith("__MACOSX/")}
    tops = {path.partition("/")[0] for path in mine}
    if len(tops) != 1 or not all("/" in path for path in mine):
        return files
    return {path.partition("/")[2]: content for path, content in mine.items()}


def start_command(files: Mapping[str, bytes]) -> tuple[str, ...]:
    """Return the command that starts a program in its folder: that of its ``bot.toml``, or the usual one for
    ``bot.py``, ``main.py``, ``bot.mjs``, ``bot`` or ``run.sh``. Raises ``UnpackError`` (``no_command``).
    """
    given = files.get(COMMAND_FILE)
    words: Sequence[str]
    if given is not None:
        if len(given) > MAX_COMMAND_FILE:
            raise UnpackError("no_command", f"{COMMAND_FILE} has more than {MAX_COMMAND_FILE} bytes")
        try:
            words = msgspec.convert(tomllib.loads(given.decode()), _Command).command
        # ValueError and RecursionError: also huge numbers and deep lists.
        except (ValueError, RecursionError, msgspec.ValidationError) as error:
            raise UnpackError("no_command", f"{COMMAND_FILE} cannot be used: {error}") from None
    else:
        words = next((command for name, command in _USUAL if name in files), ())
    if not words:
        names = ", ".join(name for name, _ in _USUAL)
        raise UnpackError(
            "no_command", f"the folder has no {COMMAND_FILE} that says how to start it, and none of {names}"
        )
    return tuple(words)


def command_of_folder(folder: Path) -> tuple[str, ...]:
    """Return the command that starts the program in a folder. Raises ``UnpackError`` (``no_command``)."""
    names = [COMMAND_FILE, *(name for name, _ in _USUAL)]
    return start_command({name: (folder / name).read_bytes() for name in names if (folder / name).is_file()})


def files_of_folder(folder: Path, without: Path | None = None) -> dict[str, bytes]:
    """Return the files of the program in a folder, by path, ``without`` those in another folder inside."""
    found = {}
    top, left_out = folder.resolve(), without and without.resolve()
    for root, folders, files in os.walk(top):
        folders[:] = [one for one in sorted(set(folders) - _LEFT_OUT) if Path(root) / one != left_out]
        for file in sorted(files):
            path = Path(root) / file
            if path.is_file() and not path.is_symlink():
                found[path.relative_to(top).as_posix()] = path.read_bytes()
    return found


def hash_of_folder(folder: Path, without: Path | None = None) -> str:
    """Return the hash that the program in a folder would have if these files were pushed. Raises
    ``UnpackError`` (``no_command``).
    """
    files = files_of_folder(folder, without)
    return hash_of_files(files, executable(start_command(files)))
