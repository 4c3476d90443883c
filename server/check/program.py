"""The program under test as a process: one at a time, started as often as needed."""

from __future__ import annotations

import asyncio
import signal
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final

import psutil

from server.auth.tokens import new_token
from server.bots.outputs import end_of_output
from server.bots.processes import BotProcess, ProcessManager
from server.bots.reaper import processes_with_token
from server.bots.sandbox import Confinement
from server.check.model import CheckError

#: Lines of its output that are shown with a fault, and bytes in which they are.
LAST_WORDS: Final = 8
LAST_BYTES: Final = 4096
#: Seconds that processes started by the program have to end after it.
ORPHANS: Final = 1.0


Confiner = Callable[[Sequence[str]], Confinement]


class CheckedProgram:
    """``command`` starts the program; its output goes to files in ``folder``. ``confine`` says for a command
    what it may use; None: all that we may.
    """

    def __init__(self, command: Sequence[str], folder: Path, confine: Confiner | None = None) -> None:
        self._command = command
        self._folder = folder
        self._confine = confine
        self._processes = ProcessManager(folder)
        self._bot: BotProcess | None = None
        self._name = ""
        self._starts = 0
        self.token = ""
        #: Its exit code, once it has ended by itself.
        self.exit_code: int | None = None

    async def start(
        self, values: Mapping[str, str], settings: Mapping[str, str], on_exit: Callable[[], None]
    ) -> None:
        """Start the program. ``values`` replace placeholders in braces in the command; ``settings`` are added
        to its environment. Raises CheckError ``cannot_start``, and ``SandboxError``.
        """
        self._starts += 1
        self._name = f"{self._starts:03}"
        self.token = self.token or new_token()
        self.exit_code = None

        def wait_for_exit(code: int) -> None:
            self.exit_code = code
            on_exit()

        command = [_fill_placeholders(word, {"python": sys.executable, **values}) for word in self._command]
        try:
            self._bot = await self._processes.start(
                self._name,
                command,
                {"POKERD_TOKEN": self.token, **settings},
                wait_for_exit,
                confinement=self._confine and self._confine(command),
            )
        except OSError as error:
            raise CheckError("cannot_start", f"{command[0]}: {error.strerror or error}") from None

    async def stop(self) -> None:
        """Kill it with all processes that it started."""
        if self._bot is not None:
            self._bot.stopping = True
            self._bot.signal(signal.SIGKILL)
            await self._processes.stop(self._bot)
            self._bot = None
        self.token = ""

    async def wait_end(self, seconds: float) -> bool:
        """Wait up to ``seconds`` for it to end by itself; return whether it did."""
        assert self._bot is not None
        try:
            self.exit_code = await asyncio.wait_for(self._bot.wait(), seconds)
        except TimeoutError:
            return False
        return True

    async def find_orphans(self) -> list[str]:
        """Return the ids and commands of processes that the program started and did not end. It has ended
        itself.
        """
        return await asyncio.to_thread(self._find_orphans)

    def _find_orphans(self) -> list[str]:
        _, alive = psutil.wait_procs(processes_with_token([self.token]), timeout=ORPHANS)
        found = []
        for process in alive:
            try:
                found.append(f"{process.pid} {' '.join(process.cmdline())}")
            except psutil.Error:  # it has ended meanwhile
                continue
        return found

    def last_words(self) -> str:
        """Return the end of its output."""
        lines = end_of_output(self._folder / f"{self._name}.log", LAST_BYTES).splitlines()
        return "\n".join(lines[-LAST_WORDS:])

    async def close(self) -> None:
        """Stop everything."""
        await self.stop()
        await self._processes.close()


def _fill_placeholders(word: str, values: Mapping[str, str]) -> str:
    for name, text in values.items():
        word = word.replace(f"{{{name}}}", text)
    return word
