"""Every text of the pages is in every catalogue, and nothing else is."""

from __future__ import annotations

import json
import re
from pathlib import Path

import polib
import pytest

from server.web.languages import choose_language, read_catalogue, translate_page
from server.web.static_files import read_page
from tests.web.catalogues import CATALOGUES, WEB, bare_texts, key, server_texts, used_texts
from tests.web.commands import run

catalogues = pytest.mark.parametrize("path", CATALOGUES, ids=lambda path: path.stem)


def marks(text: str) -> list[str]:
    """What a translation keeps: the places of values, and where the less important part begins."""
    return sorted(set(re.findall(r"\{\w+\}", text))) + ["|"] * text.count("|")


@catalogues
def test_a_catalogue_has_every_text_and_no_other(path: Path) -> None:
    entries = polib.pofile(path.read_text("utf-8"), check_for_duplicates=True)
    found = {key(entry) for entry in entries}
    assert used_texts().keys() - found == set(), "python -m tests.web.catalogues adds what is missing"
    assert found - used_texts().keys() == set()


@catalogues
def test_every_text_is_translated(path: Path) -> None:
    catalogue = polib.pofile(path.read_text("utf-8"))
    forms = int(re.findall(r"nplurals=(\d)", catalogue.metadata["Plural-Forms"])[0])
    assert catalogue.metadata["Language"] == path.stem
    for entry in catalogue:
        assert not entry.fuzzy, entry.msgid
        texts = [entry.msgstr]
        if entry.msgid_plural:
            assert sorted(entry.msgstr_plural) == list(range(forms)), entry.msgid
            texts = list(entry.msgstr_plural.values())
        needed = marks(entry.msgid_plural or entry.msgid)
        for text in texts:
            assert text.strip(), entry.msgid
            # "One player has finished" needs no number, "two" does.
            number = ["{n}"] if "{n}" in needed and text is texts[0] and "{n}" not in text else []
            assert sorted(marks(text) + number) == sorted(needed), entry.msgid
            assert re.findall(r"^\s*|\s*$", text) == re.findall(r"^\s*|\s*$", entry.msgid), entry.msgid


def test_the_menu_offers_what_there_is() -> None:
    code = "import { LANGUAGES } from './clients/web/lib/language.js'; console.log(JSON.stringify(LANGUAGES))"
    offered = [language for language, _ in json.loads(run("node", "--input-type=module", "--eval", code))]
    assert sorted(offered) == sorted(["en", *(path.stem for path in CATALOGUES)])


#: What is the same in every language.
INTERNATIONAL = {"CSV", "D", "Elo", "JSON", "SHA-256", "ann, A", "bb/100", "p = \0", "pokerd"}


@pytest.mark.parametrize(
    "path", sorted(WEB.glob("[!v]*/*.js")), ids=lambda path: f"{path.parent.name}-{path.stem}"
)
def test_a_module_says_nothing_beside_the_catalogue(path: Path) -> None:
    texts = set(bare_texts(path.read_text("utf-8"))) - INTERNATIONAL
    assert {text for text in texts if not re.search(r"\b(19|20)\d\d$", text)} == set()


def test_what_is_said_beside_the_catalogue_is_found() -> None:
    source = """
      // It's a comment, and `so is this`.
      const odd = text.replace(/["'`]/g, "");
      const page = html`<p title="Bad title" class="a b">${name}: ${list.map((one) =>
          html`<li>Bad ${one}</li>`)}</p>
        <b aria-label=${_("Good")}>${_("Good text", { n: `${1}` })}</b>&nbsp;<code>let it be</code>`;
      notify("The server is away.");
      notify(_("The server is there."));
    """
    assert sorted(bare_texts(source)) == ["Bad \0", "Bad title", "The server is away."]


def test_texts_are_literals_in_double_quotes_and_nothing_else_is_called_so() -> None:
    wrong = re.compile(r"(?<![\w.])(?:_|ngettext|pgettext)\(\s*['`]|\(_(?:, \w+)*\) =>|\b_ =>")
    assert [
        path.name
        for path in WEB.glob("[!v]*/*.js")
        if "language.js" in path.read_text("utf-8") and wrong.search(path.read_text("utf-8"))
    ] == []


def test_a_catalogue_that_is_broken_is_refused(tmp_path: Path) -> None:
    (tmp_path / "xx.po").write_text('mgsid "Play"\nmsgstr "Spielen"\n')
    with pytest.raises(OSError, match="Syntax error"):
        read_catalogue(tmp_path / "xx.po")


def test_what_is_not_translated_stays_english(tmp_path: Path) -> None:
    texts = [
        'msgid "Play"\nmsgstr "Spielen"',
        'msgid "Fold"\nmsgstr ""',
        '#, fuzzy\nmsgid "Call"\nmsgstr "Rufen"',
    ]
    (tmp_path / "xx.po").write_text("\n\n".join(texts))
    assert read_catalogue(tmp_path / "xx.po") == {"Play": "Spielen"}


@pytest.mark.parametrize(
    ("cookies", "accepted", "language"),
    [
        ("", "", "en"),
        ("", "de", "de"),
        ("", "de-AT,de;q=0.9,en;q=0.8", "de"),
        ("", "en-GB,en;q=0.9,de;q=0.8", "en"),
        ("", "it, fr;q=0.5, es;q=0.7", "es"),
        ("", "de;q=0, fr;q=0.1", "fr"),
        ("", "de;q=much, fr", "fr"),
        ("", "*", "en"),
        ("language=fr", "de", "fr"),
        ("pokerd_id_1=x; language=en", "de", "en"),
        ("language=../x", "de", "de"),
        ("other_language=fr", "de", "de"),
        ("fr", "de", "de"),
    ],
)
def test_a_language_is_chosen(cookies: str, accepted: str, language: str) -> None:
    assert choose_language(("de", "es", "fr"), cookies, accepted) == language


def test_a_page_says_what_it_is_before_it_runs() -> None:
    page = read_page(WEB, "lobby/index.html")
    german = translate_page(page, "de", {"Tables · pokerd": "Tische & mehr"})
    assert '<html lang="de">' in german
    assert "<title>Tische &amp; mehr</title>" in german
    assert "locales/de.json" in german
    assert "locales" not in page


def test_a_refusal_about_a_field_is_looked_up_without_its_name() -> None:
    texts = set(server_texts())
    assert {"only players open such tables", "this link has expired"} <= texts
    assert not [text for text in texts if re.match(r"(deals|keep|mode|practice|research): ", text)]
