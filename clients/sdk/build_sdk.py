"""Build the distribution ``pokerd-bot``: the SDK, plus a copy of what it imports from ``protocol`` and
``dealer``.

This is a build backend, called by pip (``make sdk``). The copies become ``pokerd_bot._protocol`` and
``pokerd_bot._dealer``, and imports are rewritten to match. So messages and rules have a single source, and
bot authors may still call their own files ``protocol.py`` or ``dealer.py``. Game definitions and the table of
ranks are included.
"""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from setuptools import build_meta

HERE: Final = Path(__file__).resolve().parent
#: The checkout. A source distribution does not need one: it already contains everything.
ROOT: Final = HERE.parents[1]
#: Packages whose modules are copied as far as the SDK imports them.
ROOMS: Final = ("protocol", "dealer")
_IMPORT: Final = re.compile(rf"^(\s*from )((?:{'|'.join(ROOMS)})[.\w]*)( import )(.*)", re.MULTILINE)


def get_requires_for_build_wheel(settings: Any = None) -> list[str]:
    """Return nothing: all requirements are in ``pyproject.toml``."""
    return []


def build_wheel(folder: str, settings: Any = None, metadata: str | None = None) -> str:
    """Build the wheel in ``folder`` and return its file name."""
    with _staged():
        return str(build_meta.build_wheel(folder, settings))


def build_sdist(folder: str, settings: Any = None) -> str:
    """Build the source distribution, which needs no checkout, in ``folder`` and return its file name."""
    with _staged():
        return str(build_meta.build_sdist(folder, settings))


@contextmanager
def _staged() -> Iterator[None]:
    """Change to a temporary directory that holds the complete package."""
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        lay_out(Path(folder))
        os.chdir(folder)
        try:
            yield
        finally:
            os.chdir(before)


def lay_out(folder: Path) -> None:
    """Write the complete project to ``folder``, ready for setuptools."""
    package = folder / "pokerd_bot"
    shutil.copytree(HERE / "pokerd_bot", package, ignore=shutil.ignore_patterns("__pycache__"))
    for module in sorted(_modules_needed()):
        source = _file_of(module)
        target = package / f"_{source.relative_to(ROOT)}"
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(source, target)
    for path in package.rglob("*.py"):
        path.write_text(_IMPORT.sub(r"\1pokerd_bot._\2\3\4", path.read_text("utf-8")), "utf-8")
    shutil.copy(ROOT / "dealer" / "rules" / "ranks.zlib", package / "_dealer" / "rules")
    (package / "games").mkdir()
    for game in (ROOT / "games").glob("*.game"):
        shutil.copy(game, package / "games")
    for name in ("README.md", "pyproject.toml"):
        shutil.copy(HERE / name, folder)
    shutil.copy(ROOT / "LICENSE", folder)
    found = sorted({".".join(path.parent.relative_to(folder).parts) for path in package.rglob("*.py")})
    text = (folder / "pyproject.toml").read_text("utf-8")
    text = text.replace(
        'build-backend = "build_sdk"\nbackend-path = ["."]', 'build-backend = "setuptools.build_meta"'
    )
    text = text.replace('packages = ["pokerd_bot"]', f"packages = {found}")
    data = '["py.typed", "games/*.game", "_dealer/rules/ranks.zlib"]'
    text += f"\n[tool.setuptools.package-data]\npokerd_bot = {data}\n"
    (folder / "pyproject.toml").write_text(text, "utf-8")


def _file_of(module: str) -> Path:
    path = ROOT.joinpath(*module.split("."))
    return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")


def _modules_needed() -> set[str]:
    """Return every module of ``ROOMS`` that the SDK imports, directly or not, and their packages."""
    needed: set[str] = set()
    waiting = list((HERE / "pokerd_bot").rglob("*.py"))
    while waiting:
        for _, module, _, names in _IMPORT.findall(waiting.pop().read_text("utf-8")):
            parts = module.split(".")
            taken = {".".join(parts[:end]) for end in range(1, len(parts) + 1)}
            # In ``from protocol import messages`` the imported name may be a module.
            taken |= {
                f"{module}.{name}"
                for name in re.findall(r"\w+", names)
                if _file_of(f"{module}.{name}").is_file()
            }
            waiting += [_file_of(name) for name in taken - needed]
            needed |= taken
    return needed
