"""The tables of the trainer over the API: exact, for known stacks only, and solved once."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path

import numpy as np
import pytest

from pokerd.commands.serve import push_fold_tables
from server.web import schemas
from server.web.people.push_fold import STACKS
from strategy.poker.combos import parse_range, per_class
from strategy.poker.preflop import HAND_CLASSES
from strategy.pushfold.equilibrium import equilibrium
from tests.support.houses.http_client import site


@pytest.mark.parametrize("stack", [2, 8.5, 20])
async def test_the_tables_are_the_equilibrium(tmp_path: Path, stack: float) -> None:
    async with site(tmp_path, push_fold=push_fold_tables) as place:
        found = (await place.browser().get(f"/api/push-fold/{stack}")).json()
    exact = equilibrium(stack)
    assert found["stack"] == stack
    for name, table in (("jam", exact.jam), ("call", exact.call)):
        assert found[name] == pytest.approx(table.tolist(), abs=5e-5)
        gains = np.array(found[f"{name}_gain"])
        # Who plays always wins by it, who never does would lose, and who mixes does not care.
        assert (gains[table > 1 - 1e-9] >= 0).all()
        assert (gains[table < 1e-9] <= 0).all()
        assert not gains[(table > 1e-9) & (table < 1 - 1e-9)].any()
        assert per_class(found[name]) == pytest.approx(
            parse_range(found[f"{name}_range"] or "AA:0"), abs=5.1e-3
        )
    assert len(found["jam"]) == len(HAND_CLASSES)


async def test_each_stack_is_solved_once_and_beside_the_loop(tmp_path: Path) -> None:
    solved: list[tuple[float, int]] = []

    def solve(stack: float) -> schemas.PushFoldResponse:
        solved.append((stack, threading.get_ident()))
        return push_fold_tables(stack)

    async with site(tmp_path, push_fold=solve) as place:
        answers = await asyncio.gather(
            *[place.browser().get(f"/api/push-fold/{stack}") for stack in ("10", "2.5", "10", "10")]
        )
        assert [answer.status for answer in answers] == [200] * 4
    assert sorted(stack for stack, _ in solved) == [2.5, 10]
    assert threading.get_ident() not in {thread for _, thread in solved}


async def test_other_stacks_are_refused_unsolved(tmp_path: Path) -> None:
    def solve(stack: float) -> schemas.PushFoldResponse:
        raise AssertionError(stack)

    async with site(tmp_path, push_fold=solve) as place:
        for stack in ("1.5", "20.5", "2.25", "10.0", "1e1", "nan", "-2", "ten"):
            answer = await place.browser().get(f"/api/push-fold/{stack}")
            assert (answer.status, answer.json()["code"]) == (404, "not_found"), stack
    assert len(STACKS) == 37
