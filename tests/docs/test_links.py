"""Links lead somewhere, and the README is short."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.docs.pages import PAGES, README, ROOT, WALKED, anchors, blocks, prose, read

_LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_link_leads_somewhere(page: Path) -> None:
    for link in _LINK.findall(prose(page)):
        target, _, anchor = link.partition("#")
        assert "://" not in target, f"{page.name} needs the network for {link}"
        path = (page.parent / target).resolve() if target else page
        assert path.exists(), f"{page.name}: {link}"
        assert path.is_relative_to(ROOT)
        assert not anchor or anchor in anchors(path), f"{page.name}: {link}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_file_named_in_the_text_exists(page: Path) -> None:
    rooms = "clients|dealer|docs|games|pokerd|protocol|server|strategy|studies|tests"
    for name in re.findall(rf"`((?:{rooms})/[\w./-]+\.(?:py|md|toml|json))`", prose(page)):
        assert (ROOT / name).is_file(), f"{page.name}: {name}"


def test_every_document_is_in_the_readme_s_list_or_the_index() -> None:
    linked = {
        (index.parent / link.partition("#")[0]).resolve()
        for index in (README, ROOT / "docs" / "README.md")
        for link in _LINK.findall(read(index))
    }
    assert {page.resolve() for page in PAGES if page != README} <= linked


def test_the_readme_is_short() -> None:
    assert len(read(README).splitlines()) < 200


def test_all_documents_can_be_read_in_an_afternoon() -> None:
    """Without code, the reports of studies, and what only authors read."""
    pages = [page for page in PAGES if page.name not in {"CONTRIBUTING.md", "CHANGELOG.md"}]
    assert (
        sum(len(re.findall(r"\S*\w\S*", re.sub("<!--.*?-->", "", prose(page)))) for page in pages) <= 46_500
    )


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_lines_fit_an_editor(page: Path) -> None:
    assert [line for line in prose(page).splitlines() if len(line) > 100 and not line.startswith("|")] == []


def test_the_bot_of_the_readme_is_the_example_and_has_15_lines_at_most() -> None:
    (block,) = blocks(README, "python")
    assert block.text == (ROOT / "clients" / "examples" / "caller.py").read_text("utf-8")
    assert len(block.text.splitlines()) <= 15


def test_python_is_shown_only_where_a_test_runs_it() -> None:
    assert {page.name for page in PAGES if blocks(page, "python")} == {
        "README.md",
        "environment.md",
        "extending.md",
        "rules.md",
        "sdk.md",
    }


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_block_is_of_a_kind_that_a_test_looks_at(page: Path) -> None:
    looked_at = {"sh", "text", "python", "toml", "json", "transcript", "session", "example", "own"}
    looked_at |= {"rules", "strength", "pushfold", "one-against-one", "check", "parameters"}
    looked_at |= {"acpc", "phhs", "ohh", "pokerstars", "journal", "deals", "observation", "layout"}
    looked_at |= {"phases", "arrival", "attendance", "dealing", "ladder"}
    if page in WALKED:
        looked_at |= {"sh background", "sh stopped", "nginx", "python pandas"}
    kinds = {re.sub(r" file=[\w./-]+", "", block.info) for block in blocks(page)}
    assert kinds <= looked_at
