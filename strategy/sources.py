"""The sources that compiled code is made from: a module's own, and those of all that it imports.

Constants and functions of imported modules become a part of compiled code.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Final

PACKAGES: Final = frozenset(
    [
        *("benchmarks", "clients", "dealer", "games", "pokerd", "pokerd_bot", "protocol", "server"),
        *("strategy", "studies"),
    ]
)
"""pokerd's own. In a wheel they lie beside everybody else's."""

_ROOT: Final = Path(__file__).resolve().parents[1]
_FOLDERS: Final = (_ROOT, _ROOT / "clients" / "sdk")
# The start of a bot waits for this, and to parse Python would take long.
_IMPORT: Final = re.compile(r"^[ \t]*(?:from[ \t]+(\S+)[ \t]+)?import[ \t]*(\([^)]*\)|[^\n#]*)", re.MULTILINE)


def sources(paths: Iterable[Path]) -> set[Path]:
    """Return these sources and those of pokerd that they import, directly or not. Raises OSError."""
    found = set(paths)
    waiting = list(found)
    while waiting:
        new = _read(waiting.pop())[1] - found
        found |= new
        waiting += new
    return found


@cache
def digest(path: Path) -> str:
    """Return a SHA-256 of a source and all that it imports, as they were when this process first asked.

    Raises OSError.
    """
    return sha256(b"".join(sorted(_read(one)[0] for one in sources([path])))).hexdigest()


@cache
def _read(path: Path) -> tuple[bytes, frozenset[Path]]:
    """Return the SHA-256 of a source, and the sources that it imports itself."""
    text = path.read_bytes()
    imports = _IMPORT.findall(text.decode(errors="replace"))
    names = (
        f"{package}.{name}" if package else name
        for package, imported in imports
        for name in re.findall(r"[\w.]+", imported)
    )
    return sha256(text).digest(), frozenset(file for name in names for file in _files(name))


@cache
def _files(name: str) -> tuple[Path, ...]:
    """Return the sources of a module, or of the module that has this name in it, and of its packages: none
    if they are not pokerd's.
    """
    if name.partition(".")[0] not in PACKAGES:
        return ()
    package = name.rpartition(".")[0]
    found = _files(package) if package else ()
    if found and found[-1].name != "__init__.py":
        return found
    for folder in _FOLDERS:
        place = folder.joinpath(*name.split("."))
        for file in (place.with_suffix(".py"), place / "__init__.py"):
            if file.is_file():
                return (*found, file)
    return found
