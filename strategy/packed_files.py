"""Shipped strategies: a file of metadata (``.json``), and beside it compressed bytes (``.xz``)."""

from __future__ import annotations

import json
import lzma
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Bytes = NDArray[np.uint8]


def read_packed(path: Path) -> tuple[dict[str, Any], Bytes]:
    """Return a file's metadata and the data beside it. Raises OSError; ValueError if they do not match."""
    facts: dict[str, Any] = json.loads(path.read_text(encoding="ascii"))
    data = lzma.decompress(path.with_suffix(".xz").read_bytes())
    if sha256(data).hexdigest() != facts["sha256"]:
        raise ValueError(f"{path.with_suffix('.xz').name} is not the file that {path.name} describes")
    return facts, np.frombuffer(data, np.uint8)


def write_packed(path: Path, facts: dict[str, Any], data: bytes) -> None:
    """Write a file for ``read_packed``; ``facts`` includes the digest of the data."""
    filters = ({"id": lzma.FILTER_LZMA2, "preset": 9 | lzma.PRESET_EXTREME, "lc": 0, "pb": 0},)
    path.with_suffix(".xz").write_bytes(lzma.compress(data, filters=filters))
    path.write_text(json.dumps(facts) + "\n", encoding="ascii")
