"""Compiled functions are thrown away when a source with some of them has changed, and not before."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from dealer.rules.games import load_game
from strategy import precompile
from strategy.batch import serving
from strategy.batch.service import Recording, ServedTables


def test_what_is_compiled_lasts_until_such_a_source_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(precompile, "__file__", str(tmp_path / "precompile.py"))
    monkeypatch.setattr(precompile, "strategy_names", tuple)
    batches: list[None] = []
    monkeypatch.setattr(precompile, "precompile_batches", lambda: batches.append(None))
    kernels, other = tmp_path / "kernels.py", tmp_path / "other.py"
    kernels.write_text("from strategy.jit import jit\n")
    other.write_text("")
    cached = tmp_path / "__pycache__" / "kernels.loop-1.py311.nbi"
    cached.parent.mkdir()
    cached.touch()

    precompile.main()
    assert not cached.exists()
    assert len(batches) == 1
    for source, is_kept in ((other, True), (kernels, False)):
        cached.touch()
        precompile.main()
        assert cached.exists()
        with source.open("a") as changed:
            changed.write("\n")
        precompile.main()
        assert cached.exists() is is_kept
    assert len(batches) == 2


def test_one_batch_compiles_for_all() -> None:
    compiled: list[Any] = [serving.take, serving.play, serving.show]
    precompile.precompile_batches()
    known = [function.signatures[:] for function in compiled]
    assert all(known)
    written: list[bytes] = []
    recording = Recording(lambda lines: written.append(bytes(lines)), ("me", "call-1", "random-2"))
    settings: dict[str, Any] = {"limit": 1.0, "history": 64, "entropy": bytes, "recording": recording}
    tables = ServedTables(load_game("holdem.nolimit.3p"), 4, ["call", "random"], hands=8, **settings)
    tables.begin(lambda: 0.0)
    tables.force(10.0)
    tables.finish()
    assert written
    assert [function.signatures for function in compiled] == known
