"""How a pushed program is started."""

from __future__ import annotations

import pytest

from server.bots.program_files import start_command
from server.bots.unpack import UnpackError


def test_a_program_says_how_it_is_started() -> None:
    assert start_command({"bot.py": b"", "notes.txt": b""}) == ("{python}", "bot.py")
    told = {"bot.py": b"", "bot.toml": b'command = ["node", "bot.py", "--fast"]'}
    assert start_command(told) == ("node", "bot.py", "--fast")


@pytest.mark.parametrize(
    "files",
    [
        {"notes.txt": b""},
        {"bot.py": b"", "bot.toml": b"command = []"},
        {"bot.py": b"", "bot.toml": b"command = 1"},
        {"bot.py": b"", "bot.toml": b"x = 1"},
        {"bot.py": b"", "bot.toml": b"["},
        {"bot.py": b"", "bot.toml": b"\xff"},
        {"bot.py": b"", "bot.toml": b'command = ["sh", ""]'},
        {"bot.py": b"", "bot.toml": b'command = ["sh", "\\u0000"]'},
        {"bot.py": b"", "bot.toml": b"command = " + b"[" * 2000},
        {"bot.py": b"", "bot.toml": b"x = 1" + b"0" * 4000},
        # It would be read for a minute.
        {"bot.py": b"", "bot.toml": b"x." * 100_000 + b"x = 1"},
        {"bot.py": b"", "bot.toml": b'command = ["sh"]' + b" " * 4096},
    ],
)
def test_a_program_that_does_not_say_it_is_refused(files: dict[str, bytes]) -> None:
    with pytest.raises(UnpackError) as refused:
        start_command(files)
    assert refused.value.code == "no_command"
