"""The documents as data: their fenced blocks, tables, sections and links."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
README = ROOT / "README.md"
PROTOCOL = ROOT / "docs" / "protocol.md"
PEOPLE = ROOT / "docs" / "people.md"
COMPETITION = ROOT / "docs" / "competition.md"
COMMANDS = ROOT / "docs" / "commands.md"
ARCHITECTURE = ROOT / "docs" / "architecture.md"
INTERNALS = ROOT / "docs" / "internals.md"
CHECK_BOT = ROOT / "docs" / "check-bot.md"
FAIRNESS = ROOT / "docs" / "fairness.md"
FORMATS_PAGE = ROOT / "docs" / "formats.md"
PAGES = (README, *sorted((ROOT / "docs").glob("*.md")), ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md")

_FENCE = re.compile(r"^```(?P<info>[^\n`]*)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)


class Block(NamedTuple):
    """A fenced block: where it is, what stands behind the fence ("sh", "json", ...), and its text."""

    page: Path
    line: int
    info: str
    text: str

    @property
    def name(self) -> str:
        """Where it is, for messages and test names."""
        return f"{self.page.name}:{self.line}"


@lru_cache
def read(page: Path) -> str:
    return page.read_text(encoding="utf-8")


def blocks(page: Path, info: str = "") -> list[Block]:
    """The fenced blocks of a page, or those of one kind."""
    text = read(page)
    found = [
        Block(page, text[: match.start()].count("\n") + 1, match["info"], match["text"])
        for match in _FENCE.finditer(text)
    ]
    return [block for block in found if info in ("", block.info)]


def after(page: Path, marker: str) -> Block:
    """The first fenced block below the line that holds ``marker``."""
    line = read(page).split(marker)[0].count("\n") + 1
    assert marker in read(page), f"{page.name} does not say {marker!r}"
    return next(block for block in blocks(page) if block.line >= line)


def prose(page: Path) -> str:
    """The page without its fenced blocks."""
    return _FENCE.sub("", read(page))


def section(page: Path, heading: str) -> str:
    """What stands under a heading, up to the next one of the same or a higher level."""
    lines = read(page).splitlines()
    start = lines.index(heading)
    level = heading.index(" ")
    fenced = False
    for number, line in enumerate(lines[start + 1 :], start + 1):
        fenced ^= line.startswith("```")
        if not fenced and re.match(rf"#{{1,{level}}} ", line):
            return "\n".join(lines[start + 1 : number])
    return "\n".join(lines[start + 1 :])


def anchors(page: Path) -> set[str]:
    """The names that headings can be linked by."""
    headings = re.findall(r"^#+ (.*)$", prose(page), re.MULTILINE)
    plain = (re.sub(r"[^\w\- ]", "", heading.lower()) for heading in headings)
    return {heading.replace(" ", "-") for heading in plain}


def rows(text: str) -> Iterator[list[str]]:
    """The cells of every table row in a text, headings and rules left out."""
    lines = text.splitlines()
    for number, line in enumerate(lines):
        following = lines[number + 1] if number + 1 < len(lines) else ""
        if line.startswith("|") and not _is_rule(line) and not _is_rule(following):
            yield [cell.replace(r"\|", "|").strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]


def code(text: str) -> list[str]:
    """What a text has in backticks."""
    return re.findall(r"`([^`]+)`", text)


def _is_rule(line: str) -> bool:
    return bool(re.fullmatch(r"\|[ :|-]+\|", line))
