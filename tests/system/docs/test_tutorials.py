"""Tutorials and how-tos, walked through as their readers do: files saved, commands run, output compared.

Behind the fence stands what a block is: ``python file=NAME`` (or another language) is saved, ``sh`` run,
``sh background`` left running until the end of the page or a block ``sh stopped``, ``sh exits=1`` must end
so; each line of a ``text`` block must have been printed before.
"""

from __future__ import annotations

import re
import shlex
import signal
import subprocess
from pathlib import Path

import pytest

from tests.docs.pages import WALKED, Block, blocks
from tests.docs.workspace import environment, lay
from tests.support.programs import Program

#: Where a reader's server listens.
DOCUMENTED = "ws://127.0.0.1:8000"
DOCUMENTED_PAGES = "http://127.0.0.1:8080"


class Reader:
    """Somebody who does what a page says, in ``folder``."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.printed: list[str] = []
        self.running: list[Program] = []
        self.variables: dict[str, str] = {}
        self.pages = DOCUMENTED_PAGES

    def follow(self, block: Block) -> None:
        kind, *words = block.info.split()
        settings = dict(word.partition("=")[::2] for word in words)
        if "file" in settings:
            path = self.folder / settings["file"]
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(block.text, encoding="utf-8")
        elif kind == "sh" and "background" in settings:
            self._start(block.text)
        elif kind == "sh":
            if "stopped" in settings:
                self.leave()
            self._run(block, int(settings.get("exits", 0)))
        elif kind == "text":
            for line in block.text.splitlines():
                assert line == "..." or self._was_printed(line), f"{block.name}: {line}\n{self.printed}"

    def _run(self, block: Block, code: int) -> None:
        done = subprocess.run(
            ["bash", "-ec", self._here(block.text)],
            cwd=self.folder,
            env=environment(COLUMNS="100", **self.variables),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=150,
            check=False,
        )
        assert done.returncode == code, f"{block.name}\n{done.stdout}\n{done.stderr}"
        self.printed += [line.rstrip() for line in done.stdout.splitlines()]

    def _here(self, text: str) -> str:
        """The text with the addresses that our server has."""
        return text.replace(DOCUMENTED, self.variables.get("POKERD_URL", DOCUMENTED)).replace(
            DOCUMENTED_PAGES, self.pages
        )

    def _was_printed(self, line: str) -> bool:
        """By a command that has ended, or, sooner or later, by the last one in the background."""
        if line in self.printed or not self.running:
            return line in self.printed
        pattern = re.sub(r"(ws|http)://127\\.0\\.0\\.1:\d+", r"\1://[^/\\s]+", re.escape(line))
        return bool(self.running[-1].says(f"^{pattern}$"))

    def _start(self, text: str) -> None:
        """Start a program; a server at free ports, where later programs find it."""
        words = [word for word in shlex.split(text) if word != "8000"]
        if "--port" in words:
            words.remove("--port")
        serves = "serve" in words or "--serve" in words
        program = Program(
            *words,
            *(("--port", "0", "--web-port", "0") if serves else ()),
            cwd=self.folder,
            variables={"PATH": environment()["PATH"], **self.variables},
        )
        self.running.append(program)
        if serves:
            self.variables["POKERD_URL"] = program.says(r"(ws://\S+)")[1]
        if "ladder" in words:
            self.pages = program.says(r"^people: (http://[^/]+)")[1]

    def leave(self) -> None:
        """Press Ctrl-C in every terminal."""
        while self.running:
            program = self.running.pop()
            # One that has hardly begun is ended by the signal itself.
            assert program.stop() in (0, 130, -signal.SIGINT), "\n".join(program.lines)


@pytest.mark.parametrize("page", WALKED, ids=lambda page: page.stem)
def test_a_page_can_be_followed(page: Path, tmp_path: Path) -> None:
    reader = Reader(lay(tmp_path))
    try:
        for block in blocks(page):
            reader.follow(block)
    finally:
        reader.leave()
