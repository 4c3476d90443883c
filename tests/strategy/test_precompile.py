"""Compiled functions are thrown away when a source with some of them has changed, and not before."""

from __future__ import annotations

from pathlib import Path

import pytest

from strategy import precompile


def test_what_is_compiled_lasts_until_such_a_source_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(precompile, "__file__", str(tmp_path / "precompile.py"))
    monkeypatch.setattr(precompile, "strategy_names", tuple)
    kernels, other = tmp_path / "kernels.py", tmp_path / "other.py"
    kernels.write_text("from strategy.jit import jit\n")
    other.write_text("")
    cached = tmp_path / "__pycache__" / "kernels.loop-1.py311.nbi"
    cached.parent.mkdir()
    cached.touch()

    precompile.main()
    assert not cached.exists()
    for source, is_kept in ((other, True), (kernels, False)):
        cached.touch()
        precompile.main()
        assert cached.exists()
        with source.open("a") as changed:
            changed.write("\n")
        precompile.main()
        assert cached.exists() is is_kept
