"""The texts that the pages say, and the catalogues of their translations.

``python -m tests.web.catalogues`` adds new texts to every catalogue, still without a translation, and takes
out those that no page says any more; with ``pl`` after it, it also begins a catalogue for Polish.
"""

from __future__ import annotations

import ast
import json
import re
import sys
from collections.abc import Iterator
from itertools import combinations_with_replacement
from pathlib import Path
from typing import NamedTuple

import polib

from dealer.rules.evaluation import hand_label
from pokerd.commands.serve import offered_bots
from protocol.errors import CODES
from server.web.http_server import WORDS
from server.web.responses import PROBLEM_PAGE

WEB = Path(__file__).parents[2] / "clients" / "web"
SERVER = Path(__file__).parents[2] / "server"
CATALOGUES = sorted((WEB / "locales").glob("*.po"))
_STRING = r'("(?:[^"\\]|\\.)*")'
_CALL = re.compile(rf"(?<![\w.])(_|ngettext|pgettext)\(\s*{_STRING}(?:,\s*{_STRING})?")
_TEXT = re.compile(r">([^<>]*\w[^<>]*)<")


class Text(NamedTuple):
    """A text to translate. ``plural``: its other form, ``context``: where it is said; both may be empty."""

    text: str
    plural: str = ""
    context: str = ""


def texts_of_module(source: str) -> Iterator[Text]:
    """Yield the texts that a JavaScript module gives to the functions of ``lib/language.js``."""
    for function, *strings in _CALL.findall(source):
        one, other = (json.loads(string or '""') for string in strings)
        if function == "_":
            yield Text(one)
        else:
            yield Text(one, other) if function == "ngettext" else Text(other, context=one)


class Literals:
    """The string literals of a JavaScript module, and its HTML templates with ``\0`` for what is put in."""

    def __init__(self, source: str) -> None:
        self.strings: list[str] = []
        self.templates: list[str] = []
        self._source = source
        self._read_code(0)

    def _read_code(self, at: int) -> int:
        """Read up to the brace that closes what was open at ``at``, or to the end; return where it ends."""
        source, depth, last = self._source, 0, ""
        while at < len(source):
            sign = source[at]
            if found := re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL).match(source, at):
                at = found.end()
                continue
            if sign == "/" and (last in "(,=:[!&|?{};" or source[:at].endswith("return ")):
                # A pattern: its quotes begin no string.
                found = re.compile(r"/(?:\\.|\[(?:\\.|[^\]\\])*\]|[^/\\\[])+/").match(source, at)
                at, last = found.end() if found else at + 1, "/"
                continue
            if found := re.compile(rf"{_STRING}|'(?:[^'\\]|\\.)*'").match(source, at):
                self.strings.append(found[0][1:-1])
                at, last = found.end(), sign
                continue
            if sign == "`":
                at, last = self._read_template(at), sign
                continue
            depth += (sign == "{") - (sign == "}")
            at += 1
            if depth < 0:
                break
            last = last if sign.isspace() else sign
        return at

    def _read_template(self, at: int) -> int:
        is_html, text = self._source[:at].endswith(("html", "svg")), ""
        at += 1
        while self._source[at] != "`":
            if self._source.startswith("${", at):
                at, text = self._read_code(at + 2), text + "\0"
                continue
            step = 2 if self._source[at] == "\\" else 1
            at, text = at + step, text + self._source[at : at + step]
        if is_html:
            self.templates.append(text)
        return at + 1


def bare_texts(source: str) -> Iterator[str]:
    """Yield what a module says to people without asking the catalogue: texts and readable attributes of its
    templates, and strings that look like the beginning of a sentence.
    """
    found = Literals(_CALL.sub("", source))
    for template in found.templates:
        yield from re.findall(
            r"(?:alt|aria-label|aria-valuetext|placeholder|title)=\"([^\"]*[a-z][^\"]*)\"", template
        )
        markup = re.sub(r"<(code|kbd)\b.*?</\1>", "", template, flags=re.DOTALL)
        for text in re.sub(r"<[^>]*>", "\n", markup).split("\n"):
            if re.search(r"[A-Za-z]", re.sub(r"&\w+;", "", text)):
                yield text.strip()
    yield from (text for text in found.strings if re.match(r"[A-Z][a-z]+ [a-z]+ ", text))


def hand_names() -> Iterator[str]:
    """Yield the names of hands and ranks that ``handText`` of ``lib/words.js`` looks up."""
    for ranks in combinations_with_replacement(range(13), 5):
        if ranks[0] == ranks[4]:
            continue
        mixed = [4 * rank + at % 4 for at, rank in enumerate(ranks)]
        for cards in [mixed, [4 * rank for rank in ranks]] if len(set(ranks)) == 5 else [mixed]:
            label = hand_label(cards)
            if composed := re.match(r"(?:two pair|full house), (\w+) \w+ (\w+)$", label):
                yield from composed.groups()
            else:
                yield re.sub("^high card, (.*)", r"\1 high", re.sub("^pair, ", "pair of ", label))


#: What the server refuses with these codes, it says to people in the words of the protocol.
CODES_FOR_PEOPLE = (
    "bad_parameters", "bad_resume", "bad_table", "bad_token", "banned", "closing", "expelled",
    "illegal_action", "internal", "not_owner", "not_yours", "revoked", "server_full", "too_late",
    "too_many_connections", "too_many_faults", "too_slow",
)  # fmt: skip
#: Where the server says sentences of its own to people, and where the rules do.
_ROOMS = ("auth", "house", "ladder", "people", "tables", "tournaments", "web")
_BETTING = SERVER.parent / "dealer" / "rules" / "betting.py"
_REFUSALS = {
    "AdminRefusal", "HttpError", "LadderError", "Refused", "TurnRefused", "_bad", "_refusal", "self._refuse",
}  # fmt: skip
#: What stands for a number in a refusal.
_NUMBER = re.compile(r"\{(?:[A-Z_]+|least|most|(?:low|high) - start|table\.legal\(\)\.call)\}")


def server_texts() -> Iterator[str]:
    """Yield what the server says to people when it refuses, as far as no name is in it; ``{1}``, ``{2}`` are
    its numbers.
    """
    yield from (CODES[code] for code in CODES_FOR_PEOPLE)
    yield from (text for _, text in WORDS.values())
    yield from (text for text in _TEXT.findall(PROBLEM_PAGE) if "{" not in text)
    for path in [*sorted(path for room in _ROOMS for path in (SERVER / room).rglob("*.py")), _BETTING]:
        for call in ast.walk(ast.parse(path.read_text("utf-8"))):
            if not isinstance(call, ast.Call) or ast.unparse(call.func) not in _REFUSALS:
                continue
            # The pages leave out the name of the field.
            prefix = "".join(
                f"{text}: " for one in call.keywords if one.arg == "field" for text in said(one.value)
            )
            texts = [text.removeprefix(prefix) for one in call.args for text in said(one)]
            yield from (text for text in texts if " " in text)
            limits = [with_numbers(one, prefix) for one in call.args if isinstance(one, ast.JoinedStr)]
            yield from filter(None, limits)


def said(value: ast.expr) -> list[str]:
    """Return the text that is written here; none if it is none."""
    return [value.value] if isinstance(value, ast.Constant) and isinstance(value.value, str) else []


def with_numbers(text: ast.JoinedStr, prefix: str) -> str:
    """Return a text with its limits as ``{1}``, ``{2}``, without the name of a field before it; "" if
    anything else is in it.
    """
    line = ast.unparse(text)[2:-1].removeprefix("{field}: ").removeprefix(prefix)
    numbers = iter(range(1, 10))
    line = _NUMBER.sub(lambda _: f"\0{next(numbers)}\0", line)
    return "" if "{" in line else re.sub("\0(.)\0", r"{\1}", line)


def used_texts() -> dict[Text, list[str]]:
    """Return what the pages say, each text with the files that say it, in the order of the catalogues."""
    found: dict[Text, list[str]] = {}
    for path in sorted(WEB.glob("*/*.*"), key=lambda path: (path.suffix, path)):
        texts: Iterator[Text] = iter(())
        if path.suffix == ".js":
            texts = texts_of_module(path.read_text("utf-8"))
        if path.suffix == ".html":
            said = _TEXT.findall(path.read_text("utf-8"))
            texts = (Text(text) for text in said if text != "pokerd")
        for text in texts:
            found.setdefault(text, []).append(path.relative_to(WEB).as_posix())
    for name in hand_names():
        found.setdefault(Text(name), ["the name of a hand"])
    for refusal in server_texts():
        found.setdefault(Text(refusal), ["a refusal of the server"])
    for bot in offered_bots().values():
        for meaning in (bot.does, *(one.meaning for one in bot.parameters)):
            found.setdefault(Text(meaning), ["about a bot"])
    return found


def key(entry: polib.POEntry) -> Text:
    """Return the text that an entry of a catalogue translates."""
    return Text(entry.msgid, entry.msgid_plural or "", entry.msgctxt or "")


def update(path: Path) -> None:
    """Write the catalogue with the texts that the pages say now."""
    known = polib.pofile(path.read_text("utf-8")) if path.exists() else polib.POFile()
    old = {key(entry): entry for entry in known}
    forms = int(re.findall(r"nplurals=(\d)", known.metadata.get("Plural-Forms", "nplurals=2"))[0])
    new = polib.POFile(wrapwidth=0)
    new.metadata = known.metadata or {
        "Language": path.stem,
        "Content-Type": "text/plain; charset=UTF-8",
        "Plural-Forms": "nplurals=2; plural=(n != 1);",
    }
    for text, files in used_texts().items():
        entry = old.get(text) or polib.POEntry(
            msgid=text.text,
            msgctxt=text.context or None,
            msgid_plural=text.plural or None,
            msgstr_plural=dict.fromkeys(range(forms), "") if text.plural else {},
        )
        entry.occurrences = [(file, "") for file in dict.fromkeys(files)]
        new.append(entry)
    path.write_text(str(new), "utf-8")


if __name__ == "__main__":
    for catalogue in [*CATALOGUES, *(WEB / "locales" / f"{language}.po" for language in sys.argv[1:])]:
        update(catalogue)
