"""The documents as data: their fenced blocks, tables, sections and links."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
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
BOTS = ROOT / "docs" / "bots.md"
CHECK_BOT = ROOT / "docs" / "check-bot.md"
FAIRNESS = ROOT / "docs" / "fairness.md"
API = ROOT / "docs" / "api.md"
ACPC = ROOT / "docs" / "acpc.md"
MQTT = ROOT / "docs" / "mqtt.md"
FLEET = ROOT / "docs" / "fleet.md"
BATCH = ROOT / "docs" / "batch.md"
ENVIRONMENT = ROOT / "docs" / "environment.md"
FORMATS_PAGE = ROOT / "docs" / "formats.md"
#: Followed step by step by ``tests/system/docs/test_tutorials.py``.
WALKED = tuple(
    sorted(page for kind in ("tutorials", "howto") for page in (ROOT / "docs" / kind).glob("*.md"))
)
PAGES = (
    *(README, *sorted((ROOT / "docs").glob("*.md")), *WALKED),
    *(ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md"),
)

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


def json_texts(page: Path) -> list[str]:
    """What its ``json`` blocks have: an object begins a line, and goes on in lines that are indented."""
    return [text for block in blocks(page, "json") for text in re.split(r"\n(?! )", block.text.strip())]


def command_lines(block: Block) -> list[str]:
    """The commands of a ``sh`` block: a line that ends in a backslash goes on in the next."""
    lines = re.sub(r"\\\n +", "", block.text).splitlines()
    return [line.split("  #")[0].strip() for line in lines]


def prose(page: Path) -> str:
    """The page without its fenced blocks."""
    return _FENCE.sub("", read(page))


def merged(table: Iterable[Sequence[str]]) -> dict[str, set[str]]:
    """The names in the second column by the name in the first; a name may have several rows."""
    found: dict[str, set[str]] = {}
    for name, names, *_ in table:
        found.setdefault(code(name)[0], set()).update(code(re.sub(r"\([^)]*\)", "", names)))
    return found


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
            yield _cells(line)


def limits(page: Path) -> dict[str, float]:
    """What the page's tables of limits say, in seconds, bytes or plain numbers. Such a table has "limit" and
    "value" as its first headings; a row has the name of a limit as code, and its value.
    """
    found = {}
    for header, *entries in tables(prose(page)):
        if header[:2] == ["limit", "value"]:
            for name, value, *_ in entries:
                (key,) = code(name)
                assert key not in found, f"{page.name}: {key} stands twice"
                found[key] = _quantity(value)
    return found


def numbers(text: str) -> list[float]:
    """The numbers in a text, with or without commas between thousands."""
    return [float(number.replace(",", "")) for number in re.findall(r"\d[\d,]*(?:\.\d+)?", text)]


def code(text: str) -> list[str]:
    """What a text has in backticks, outside of its fenced blocks."""
    return re.findall(r"`([^`]+)`", _FENCE.sub("", text))


def tables(text: str) -> Iterator[list[list[str]]]:
    """The rows of each table, its heading first."""
    for table in re.findall(r"(?:^\|.*\n)+", f"{text}\n", re.MULTILINE):
        header, rule, *_ = table.splitlines()
        assert _is_rule(rule), header
        yield [_cells(header), *rows(table)]


def _quantity(text: str) -> float:
    """The number that a text begins with, by its unit if that is one of these."""
    match = re.match(r"(\d[\d,]*(?:\.\d+)?)(?: (ms|KiB|MiB|%))?", text)
    assert match, f"{text!r} does not begin with a number"
    units = {"ms": 1 / 1000, "KiB": 1 << 10, "MiB": 1 << 20, "%": 1 / 100}
    return float(match[1].replace(",", "")) * units.get(match[2], 1)


def _cells(line: str) -> list[str]:
    return [cell.replace(r"\|", "|").strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]


def _is_rule(line: str) -> bool:
    return bool(re.fullmatch(r"\|[ :|-]+\|", line))
