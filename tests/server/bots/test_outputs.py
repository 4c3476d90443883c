"""What is kept of what bots print."""

from __future__ import annotations

from pathlib import Path

from server.bots.outputs import cut_outputs, end_of_output


def test_the_end_of_an_output_is_read_and_kept(tmp_path: Path) -> None:
    long, short = tmp_path / "long.log", tmp_path / "short.log"
    long.write_bytes(b"x" * 1000 + b"\xff\nbye")
    short.write_bytes(b"hello")
    assert end_of_output(long, 5) == "\ufffd\nbye"
    assert end_of_output(short, 10) == "hello"
    assert end_of_output(tmp_path / "none.log", 10) == ""
    cut_outputs(tmp_path, 10)
    assert (long.read_bytes(), short.read_bytes()) == (b"xxxxx\xff\nbye", b"hello")
    cut_outputs(tmp_path / "nothing", 10)
