"""Compiles modules into wheels; a checkout compiles them by ``python -m pokerd.compile``. All else is in
``pyproject.toml``.
"""

import sys
from pathlib import Path
from shutil import rmtree

from setuptools import setup

ROOT = Path(__file__).parent
extensions = []
if "bdist_wheel" in sys.argv:
    sys.path.insert(0, str(ROOT))
    from mypyc.build import mypycify

    from pokerd.compiled import MODULES, source

    for left in (ROOT / "build").glob("lib*"):
        # All that is there goes into the wheel: also what was compiled before, and is not this time.
        rmtree(left)
    extensions = mypycify([str(source(module).relative_to(ROOT.resolve())) for module in MODULES])
    for extension in extensions:
        # Without a C compiler the wheel is one of pure Python.
        extension.optional = True

setup(ext_modules=extensions)
