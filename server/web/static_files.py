"""The pages and what they load: read once, served from memory, so no path can lead anywhere else."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Final, NamedTuple

__all__ = ["PAGES_WITHOUT_ID", "TABLE_PAGES", "PAGES", "File", "Files"]

_TEXT: Final = "; charset=utf-8"
_KINDS: Final = {
    ".css": "text/css" + _TEXT,
    ".html": "text/html" + _TEXT,
    ".ico": "image/x-icon",
    ".js": "text/javascript" + _TEXT,
    ".png": "image/png",
    ".svg": "image/svg+xml",
    "LICENSE": "text/plain" + _TEXT,
}
#: The page behind the first part of a path. Where one is missing the first does for it.
PAGES: Final = {
    "": "lobby/index.html",
    "table": "table/table.html",
    "hand": "replay/hand.html",
    "competition": "competition/competition.html",
    "competitions": "competition/competitions.html",
    "challenge": "lobby/challenge.html",
}
#: Pages whose path has nothing after the first part.
PAGES_WITHOUT_ID: Final = ("", "challenge", "competitions")
#: Pages that are of no use where no tables are open; nor is the first one.
TABLE_PAGES: Final = ("table", "challenge")
#: Without these the pages do not work. They come from npm and are never committed.
_VENDOR: Final = ("vendor/lit-html/lit-html.js", "vendor/uplot/uPlot.esm.js")


class File(NamedTuple):
    """A file as it is sent: its content, media type and entity tag."""

    body: bytes
    kind: str
    etag: str


class Files:
    """All files of a folder that a page may load. ``version`` is a hash of them, which the addresses in the
    pages contain: so browsers may keep them for good, and a page can tell that the server has newer ones.
    """

    def __init__(self, folder: Path) -> None:
        found = {
            path.relative_to(folder).as_posix(): path.read_bytes()
            for path in sorted(folder.rglob("*"))
            if _kind(path) and path.is_file() and not path.name.startswith(".")
        }
        everything = hashlib.sha256()
        for name, body in found.items():
            everything.update(f"{name}\x00{len(body)}\x00".encode() + body)
        self.version = everything.hexdigest()[:16]
        mark = b'"/static/'
        self._files = {
            name: _file(body.replace(mark, mark + self.version.encode() + b"/"), name)
            if name.endswith(".html")
            else _file(body, name)
            for name, body in found.items()
        }

    def get(self, name: str) -> File | None:
        """The file of that name, as in ``vendor/uplot/uPlot.min.css``."""
        return self._files.get(name)

    def page(self, first: str) -> File | None:
        """The page behind the first part of a path, or None where there is none."""
        return self.get(PAGES[first]) or self.get(PAGES[""])

    def missing(self) -> str:
        """What must be done before the pages work, in one line; empty when nothing is missing."""
        if self.page("") is None:
            return "there are no pages in clients/web; bots, API and records work"
        if any(name not in self._files for name in _VENDOR):
            return "the pages need lit-html and uPlot: install Node.js with npm, then run make install"
        return ""


def _kind(path: Path) -> str:
    return _KINDS.get(path.suffix or path.name, "")


def _file(body: bytes, name: str) -> File:
    return File(body, _kind(Path(name)), f'"{hashlib.sha256(body).hexdigest()[:32]}"')
