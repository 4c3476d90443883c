"""The pages and their assets: read once and served from memory, so no path can lead outside the folder."""

from __future__ import annotations

import hashlib
import json
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

from server.web.languages import ENGLISH, read_catalogue, translate_page

_TEXT: Final = "; charset=utf-8"
_KINDS: Final = {
    ".css": "text/css" + _TEXT,
    ".html": "text/html" + _TEXT,
    ".ico": "image/x-icon",
    ".js": "text/javascript" + _TEXT,
    ".json": "application/json",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    "LICENSE": "text/plain" + _TEXT,
}
#: The page for the first segment of a path; a missing file is replaced by the first page.
PAGES: Final = {
    "": "lobby/index.html",
    "table": "table/table.html",
    "tables": "tables/tables.html",
    "hand": "replay/hand.html",
    "competition": "competition/competition.html",
    "bots": "bots/bots.html",
    "competitions": "competition/competitions.html",
    "challenge": "lobby/challenge.html",
    "ladder": "ladder/ladder.html",
    "organiser": "organiser/organiser.html",
    "people": "people/people.html",
    "me": "people/me.html",
    "push-fold": "trainer/trainer.html",
    "spots": "trainer/spots.html",
    "tournament": "tournament/tournament.html",
}
#: Pages whose path has only one segment.
PAGES_WITHOUT_ID: Final = PAGES.keys() - {"table", "hand", "competition"}
#: Pages that need open tables, like the first page.
TABLE_PAGES: Final = PAGES.keys() - {"", "hand", "competition", "competitions", "ladder"}
#: Libraries that the pages need. They come from npm and are never committed.
_VENDOR: Final = ("vendor/lit-html/lit-html.js", "vendor/uplot/uPlot.esm.js")


class File(NamedTuple):
    """A file: its content, media type and entity tag."""

    body: bytes
    kind: str
    etag: str


class Files:
    """All files of a folder that a page may load.

    ``version`` is a hash of them that the addresses in the pages contain: browsers may cache them forever,
    and a page can tell that the server has newer ones. ``catalogues``: the translations by language, of
    ``locales/de.po``; browsers get them as ``locales/de.json``. Raises ``OSError`` for one that is broken.
    """

    def __init__(self, folder: Path) -> None:
        found = {
            path.relative_to(folder).as_posix(): path.read_bytes()
            for path in sorted(folder.rglob("*"))
            if _kind(path) and path.is_file() and not path.name.startswith(".")
        }
        self.catalogues: Final = {
            path.stem: read_catalogue(path) for path in sorted(folder.glob("locales/*.po"))
        }
        found |= {
            f"locales/{language}.json": json.dumps(texts, ensure_ascii=False, separators=(",", ":")).encode()
            for language, texts in self.catalogues.items()
        }
        everything = hashlib.sha256()
        for name, body in found.items():
            everything.update(f"{name}\x00{len(body)}\x00".encode() + body)
        self.version = everything.hexdigest()[:16]
        self._files = {name: _file(body, name) for name, body in found.items()}
        self._pages = {}
        for name in set(PAGES.values()) & found.keys():
            page = read_page(folder, name)
            translated = {each: translate_page(page, each, texts) for each, texts in self.catalogues.items()}
            for language, text in {ENGLISH: page, **translated}.items():
                body = text.replace('"/static/', f'"/static/{self.version}/').encode()
                self._pages[name, language] = _file(body, name)

    def get(self, name: str) -> File | None:
        """Return the file with a name such as ``vendor/uplot/uPlot.min.css``."""
        return self._files.get(name)

    def page(self, first: str, language: str = ENGLISH) -> File | None:
        """Return the page for the first segment of a path in one of the languages, or None."""
        return self._pages.get((PAGES[first], language)) or self._pages.get((PAGES[""], language))

    def missing(self) -> str:
        """Return, in one line, what must be done before the pages work; empty if nothing."""
        if self.page("") is None:
            return "no pages found in clients/web; bots, API and records work without them"
        if any(name not in self._files for name in _VENDOR):
            return "the pages need lit-html and uPlot: install Node.js with npm, then run make install"
        return ""


@cache
def read_files(folder: Path) -> Files:
    """Return the files of a folder as they are when this process first asks. Raises ``OSError``."""
    return Files(folder)


def read_page(folder: Path, name: str) -> str:
    """Return an HTML page. A file without a head of its own is put into ``lib/frame.html``: what stands
    before ``<body>`` goes into the head.
    """
    page = (folder / name).read_text("utf-8")
    if page.startswith("<!doctype"):
        return page
    head, body = page.split("<body>\n")
    frame = (folder / "lib" / "frame.html").read_text("utf-8")
    return frame.replace("<!-- head -->\n", head).replace("<!-- body -->\n", body)


def _kind(path: Path) -> str:
    return _KINDS.get(path.suffix or path.name, "")


def _file(body: bytes, name: str) -> File:
    return File(body, _kind(Path(name)), f'"{hashlib.sha256(body).hexdigest()[:32]}"')
