"""``python -m pokerd.compile``: compile the modules whose time counts, if their sources have changed."""

from __future__ import annotations

import json
import os
import sys
import sysconfig
from pathlib import Path
from shutil import rmtree, which

from pokerd import compiled
from pokerd.compiled import BUILD, MADE_FROM, MODULES, ROOT, marks, source, state
from strategy.sources import sources


def main() -> int:
    """Compile, or say why not: Python runs the same."""
    if state() == "compiled":
        return 0
    missing = None
    if which(os.environ.get("CC", "cc")) is None:
        missing = "no C compiler (Debian's package gcc)"
    elif not Path(sysconfig.get_path("include"), "Python.h").exists():
        missing = "no headers of Python (Debian's package python3-dev)"
    if missing:
        print(f"{missing}: the dealer runs as pure Python, at half the speed")
        return 0
    # Of a development environment only.
    from mypyc.build import mypycify
    from setuptools import Distribution
    from setuptools.command.build_ext import build_ext
    from setuptools.errors import CompileError, LinkError

    print(f"compiling {len(MODULES)} modules with mypyc: a minute or two", flush=True)
    rmtree(BUILD, ignore_errors=True)
    # With the list of what is compiled. Whatever is edited from here on is stale.
    files = sources([Path(compiled.__file__), *map(source, MODULES)])
    made_from = marks(str(file.relative_to(ROOT)) for file in sorted(files))
    print("1 of 2: to C", flush=True)
    extensions = mypycify([str(source(module)) for module in MODULES], target_dir=str(BUILD / "c"))
    command = build_ext(Distribution({"name": "compiled", "ext_modules": extensions}))
    command.build_lib, command.build_temp = str(BUILD), str(BUILD / "objects")
    command.ensure_finalized()
    print("2 of 2: to machine code", flush=True)
    try:
        command.run()
    except (CompileError, LinkError) as error:
        print(f"{error}\nthe dealer runs as pure Python, at half the speed")
        return 0
    MADE_FROM.write_text(json.dumps(made_from))
    return 0


if __name__ == "__main__":
    sys.exit(main())
