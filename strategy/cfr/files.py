"""Files of solvers: named arrays and a header with a checksum, written completely or not at all.

A file is a zip archive of NumPy arrays (``numpy.savez``). The array ``header`` is a JSON object in UTF-8:
``format``, ``version``, the writer's own keys, and ``sha256`` of all these and the other arrays. In files of
version 1, which can still be read, the checksum covers only the arrays.
"""

from __future__ import annotations

import json
import zipfile
import zlib
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from strategy.errors import StrategyError

_FORMAT = "pokerd solution"
_VERSION = 2

Arrays = dict[str, NDArray[Any]]


class SolveError(StrategyError):
    """A solver or its file cannot be used.

    Codes: ``unsolvable_game``, ``bad_variant`` and ``bad_setting`` (no solver supports this for the game);
    ``wrong_file`` (not a solver's file), ``damaged_file``; ``other_game``, ``other_variant`` and
    ``other_setting`` (the file's are not the requested ones).
    """


def write_arrays(path: Path, header: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> None:
    """Write a file; replace an existing one only when the new one is complete. Raises OSError."""
    whole = {"format": _FORMAT, "version": _VERSION, **header}
    whole["sha256"] = _digest(whole, arrays)
    text = np.frombuffer(json.dumps(whole, sort_keys=True).encode(), np.uint8)
    part = path.with_name(f"{path.name}.part")
    path.parent.mkdir(parents=True, exist_ok=True)
    with part.open("wb") as file:
        np.savez(file, allow_pickle=False, header=text, **arrays)
    part.replace(path)


def read_header(path: Path) -> dict[str, Any]:
    """Return the header of a file without reading the rest, so without the checksum. Raises as
    ``read_arrays`` does.
    """
    return _header(path, _load(path, "header"))


def read_arrays(path: Path) -> tuple[dict[str, Any], Arrays]:
    """Return header and arrays of a file. Raises SolveError ``wrong_file``, ``damaged_file``, and OSError."""
    arrays = _load(path)
    header = _header(path, arrays)
    del arrays["header"]
    if header.pop("sha256", None) != _digest(header, arrays):
        raise SolveError("damaged_file", f"{path} is damaged: its checksum does not fit")
    return header, arrays


def count_in(header: Mapping[str, Any], name: str) -> int:
    """Return a number of a header, 0 or more. Raises SolveError ``wrong_file`` if there is none."""
    found = header.get(name)
    if type(found) is not int or found < 0:
        raise SolveError("wrong_file", f"the file does not say how many {name} were done, but {found!r}")
    return found


def _load(path: Path, *names: str) -> Arrays:
    """Return the arrays of these names, or all."""
    with path.open("rb") as file:
        if file.read(2) != b"PK":
            raise SolveError("wrong_file", f"{path} was not written by a solver")
        file.seek(0)
        try:
            with np.load(file, allow_pickle=False) as archive:
                return {name: archive[name] for name in archive.files if not names or name in names}
        except (ValueError, OSError, EOFError, KeyError, zipfile.BadZipFile, zlib.error) as error:
            raise SolveError("damaged_file", f"{path} is damaged: {error}") from error


def _header(path: Path, arrays: Arrays) -> dict[str, Any]:
    try:
        header: dict[str, Any] = json.loads(arrays["header"].tobytes())
        ours = header["format"] == _FORMAT and header["version"] in (1, _VERSION)
    except (KeyError, TypeError, ValueError):
        ours = False
        header = {}
    if not ours:
        raise SolveError("wrong_file", f"{path} was not written by this version's solvers")
    return header


def _digest(header: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> str:
    found = sha256()
    if header["version"] > 1:
        found.update(json.dumps(header, sort_keys=True).encode())
    for name in sorted(arrays):
        array = np.ascontiguousarray(arrays[name])
        found.update(f"{name} {array.dtype.str} {array.shape}\n".encode())
        found.update(array.data)
    return found.hexdigest()
