"""Dealers are forked from a process that is there before the first test, and so belongs to none."""

from __future__ import annotations

from multiprocessing import forkserver

import pytest

from tests.system.acpc import matches


@pytest.fixture(scope="session", autouse=True)
def dealers() -> None:
    """Start what all dealers are forked from; it ends with us."""
    forkserver.set_forkserver_preload([matches.__name__])
    forkserver.ensure_running()
