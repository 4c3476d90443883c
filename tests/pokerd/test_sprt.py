"""``pokerd sprt`` refuses what cannot be tested, before it plays."""

from __future__ import annotations

from pathlib import Path

import pytest

from pokerd.__main__ import main


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("fair", "fair"), "same_bot"),
        (("fair", "nobody"), "unknown_bot"),
        (("fair", "call", "--against", "random,raise"), "wrong_table"),
        (("fair", "call", "--bounds", "5", "5"), "bad_bounds"),
        (("fair", "call", "--bounds", "0", "inf"), "bad_bounds"),
        (("fair", "call", "--bounds", "-inf", "0"), "bad_bounds"),
        (("fair", "call", "--bounds", "-1e20", "1e20"), "bad_bounds"),
    ],
)
def test_what_cannot_be_tested_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, ...], code: str
) -> None:
    assert main(["sprt", *words, "--out", str(tmp_path / "out")]) == 2
    assert f"[{code}]" in capsys.readouterr().err
