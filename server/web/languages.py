"""The languages of the pages: their catalogues, which one a browser wants, and what a page says at first."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from html import escape, unescape
from pathlib import Path
from typing import Final

import polib

#: What the sources are written in. It needs no catalogue.
ENGLISH: Final = "en"
#: The cookie of a language chosen by hand; the pages set it.
COOKIE: Final = "language"
#: Translations by their English text, or by context, ``\\x04`` and text; a list has the forms of a plural.
Catalogue = Mapping[str, str | list[str]]


def read_catalogue(path: Path) -> Catalogue:
    """Return the translations of a ``.po`` file (GNU gettext manual, 10 "The Format of PO Files"): what is
    empty or fuzzy is left out, and stays English.

    Raises ``OSError``, also if the file is not of that format.
    """
    return {
        f"{entry.msgctxt}\x04{entry.msgid}" if entry.msgctxt else entry.msgid: [
            text for _, text in sorted(entry.msgstr_plural.items())
        ]
        or entry.msgstr
        for entry in polib.pofile(path.read_text("utf-8")).translated_entries()
    }


def choose_language(known: Collection[str], cookies: str, accepted: str) -> str:
    """Return the language for a browser with these ``Cookie`` and ``Accept-Language`` headers (RFC 9110,
    12.5.4): as chosen by hand, else the most wanted of the ``known`` ones, else English.
    """
    wanted = []
    for part in accepted.lower().split(","):
        name, _, weight = part.replace(" ", "").partition(";q=")
        try:
            wanted.append((-float(weight or 1), name.partition("-")[0]))
        except ValueError:
            continue
    by_hand = [
        value
        for name, _, value in (part.strip().partition("=") for part in cookies.split(";"))
        if name == COOKIE
    ]
    ranked = [name for weight, name in sorted(wanted, key=lambda each: each[0]) if weight < 0]
    return next((name for name in [*by_hand, *ranked] if name in known or name == ENGLISH), ENGLISH)


def translate_page(page: str, language: str, catalogue: Catalogue) -> str:
    """Return an HTML page in another language, which loads its catalogue early."""

    def text(found: re.Match[str]) -> str:
        translation = catalogue.get(unescape(found[1]))
        return f">{escape(translation, quote=False)}<" if isinstance(translation, str) else found[0]

    load = f'  <link rel="preload" as="fetch" crossorigin href="/static/locales/{language}.json">\n'
    page = re.sub(r">([^<>]*\w[^<>]*)<", text, page)
    return page.replace('<html lang="en">', f'<html lang="{language}">').replace("</head>", f"{load}</head>")
