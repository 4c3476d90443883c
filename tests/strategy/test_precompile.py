"""Compiled functions are thrown away when their source, or one that it imports, has changed; not before."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from shutil import copy
from typing import Any

import pytest

from dealer.rules.games import load_game
from strategy import precompile, sources
from strategy.batch import serving
from strategy.batch.service import Recording, ServedTables


def test_what_is_compiled_lasts_until_such_a_source_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(precompile, "__file__", str(tmp_path / "precompile.py"))
    monkeypatch.setattr(precompile, "strategy_names", tuple)
    batches: list[None] = []
    monkeypatch.setattr(precompile, "precompile_batches", lambda: batches.append(None))
    monkeypatch.setattr(sources, "_FOLDERS", (tmp_path,))
    (tmp_path / "strategy").mkdir()
    kernels, layout, more, other = (tmp_path / "strategy" / f"{name}.py" for name in "abcd")
    kernels.write_text("from strategy.jit import jit\nfrom strategy import (\n    b,\n)\n")
    layout.write_text("    import strategy.c as more\n")
    more.write_text("")
    other.write_text("from strategy.jit import jit\n")
    cached, kept = (kernels.parent / "__pycache__" / f"{name}.loop-1.py311.nbi" for name in "ad")
    cached.parent.mkdir()
    cached.touch()

    def compile_anew() -> None:
        for function in (sources.digest, sources._read, sources._files):
            function.cache_clear()
        precompile.main()

    compile_anew()
    assert not cached.exists()
    kept.touch()
    for number, source in enumerate((kernels, layout, more), 1):
        cached.touch()
        compile_anew()
        assert cached.exists()
        assert len(batches) == number
        with source.open("a") as changed:
            changed.write("\n")
        compile_anew()
        assert not cached.exists()
        assert kept.exists()


def test_what_was_compiled_from_other_sources_does_not_run(tmp_path: Path) -> None:
    room = tmp_path / "strategy"
    room.mkdir()
    for name in ("jit.py", "sources.py"):
        copy(Path(sources.__file__).with_name(name), room)
    code = "from strategy.jit import jit\nfrom strategy.layout import PLACE\n"
    (room / "kernel.py").write_text(f"{code}@jit\ndef place():\n    return PLACE\n")
    ask = "from strategy.kernel import place; print(place(), *place.stats.cache_hits.values())"
    for place, told in ((1, "1"), (1, "1 1"), (2, "2")):
        (room / "layout.py").write_text(f"PLACE = {place}")
        # Python would not notice a change in the same second either.
        words = [sys.executable, "-B", "-c", ask]
        environment = {"PYTHONPATH": str(tmp_path)}
        done = subprocess.run(
            words, cwd=tmp_path, env=environment, check=True, capture_output=True, text=True
        )
        assert done.stdout.strip() == told


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
