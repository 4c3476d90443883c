"""The program that is checked."""

from __future__ import annotations

from pathlib import Path

from server.check.program import LAST_BYTES, CheckedProgram


def test_of_whatever_it_printed_the_last_words_are_few(tmp_path: Path) -> None:
    program = CheckedProgram(["sh"], tmp_path)
    assert program.last_words() == ""
    output = tmp_path / f"{program._name}.log"
    output.write_text("".join(f"{number}\n" for number in range(100_000)), encoding="utf-8")
    assert program.last_words().split() == [str(number) for number in range(99_992, 100_000)]
    # A single line, as long as the kernel lets it write.
    output.write_bytes(b"x" * 10_000_000)
    assert len(program.last_words()) == LAST_BYTES
