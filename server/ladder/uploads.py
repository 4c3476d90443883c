"""From a pushed archive to a program that may play: its files, and how it is started."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Final, NamedTuple

import msgspec
from msgspec import Meta

from server.bots.unpack import read_archive, unpack
from server.ladder.errors import LadderError

#: The file of a pushed folder that says how to start it.
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


class Upload(NamedTuple):
    """A program that was unpacked: the ``hash`` of its files, which is its folder's name, and the ``command``
    that starts it there.
    """

    hash: str
    command: tuple[str, ...]


def take_upload(archive: bytes, folder: Path) -> Upload:
    """Unpack an archive below ``folder``. Raises ``UnpackError`` and ``LadderError`` (``no_command``) before
    anything is written.
    """
    command = start_command(read_archive(archive))
    program = command[0].removeprefix("./") if command[0].startswith("./") else ""
    return Upload(unpack(archive, folder, program).name, command)


def start_command(files: Mapping[str, bytes]) -> tuple[str, ...]:
    """Return the command that starts a program in its folder: that of its ``bot.toml``, or the usual one for
    ``bot.py``, ``main.py``, ``bot.mjs``, ``bot`` or ``run.sh``. Raises ``LadderError`` (``no_command``).
    """
    given = files.get(COMMAND_FILE)
    words: Sequence[str]
    if given is not None:
        try:
            words = msgspec.convert(tomllib.loads(given.decode()), _Command).command
        except (UnicodeDecodeError, tomllib.TOMLDecodeError, msgspec.ValidationError) as error:
            raise LadderError("no_command", f"{COMMAND_FILE} cannot be used: {error}") from None
    else:
        words = next((command for name, command in _USUAL if name in files), ())
    if not words:
        names = ", ".join(name for name, _ in _USUAL)
        raise LadderError(
            "no_command", f"the folder has no {COMMAND_FILE} that says how to start it, and none of {names}"
        )
    return tuple(words)


def command_of_folder(folder: Path) -> tuple[str, ...]:
    """Return the command that starts the program in a folder. Raises ``LadderError`` (``no_command``)."""
    names = [COMMAND_FILE, *(name for name, _ in _USUAL)]
    return start_command({name: (folder / name).read_bytes() for name in names if (folder / name).is_file()})
