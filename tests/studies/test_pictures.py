"""What pictures of tables of hands tell: names, numbers and ranks that can be read."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure

from strategy.poker.preflop import HAND_CLASSES
from studies.funke.animations import shown_run
from studies.funke.plan import FunkePlan, FunkeResults
from studies.harness.evolution_pictures import draw_tiles
from studies.harness.grids import draw_grids


def _luminance(colour: tuple[float, float, float]) -> float:
    """As in WCAG 2."""
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in colour]
    return float(np.dot(linear, (0.2126, 0.7152, 0.0722)))


@pytest.mark.parametrize("white_plays", [False, True])
def test_names_are_readable_on_every_shade(white_plays: bool) -> None:
    shades = np.linspace(0, 1, len(HAND_CLASSES))
    canvas = Figure()
    draw_grids({"all": shades}, canvas, white_plays)
    (image,) = canvas.axes[0].images
    for text, cell in zip(canvas.axes[0].texts, image.to_rgba(shades), strict=True):
        low, high = sorted((_luminance(to_rgb(text.get_color())), _luminance(tuple(cell[:3]))))
        assert (high + 0.05) / (low + 0.05) >= 4.5


def test_numbers_are_below_the_names_but_no_zeros() -> None:
    canvas = Figure()
    caps = np.array([float(place % 3) for place in range(len(HAND_CLASSES))])
    draw_grids({"one": caps / 2, "other": caps / 2}, canvas, numbers={"one": caps})
    one, other = ([text.get_text() for text in axes.texts] for axes in canvas.axes)
    assert one[:4] == ["AA", "AKs\n1", "AQs\n2", "AJs"]
    assert other == list(HAND_CLASSES)


def test_the_first_tile_has_the_ranks() -> None:
    canvas = Figure()
    axes = canvas.subplots()
    draw_tiles(0, (0, 0, [["1" * 169, "0" * 169]] * 6), axes)
    for axis in (axes.xaxis, axes.yaxis):
        labels = {
            round(place): label.get_text()
            for place, label in zip(axis.get_ticklocs(), axis.get_ticklabels(), strict=True)
        }
        assert (len(labels), labels[0], labels[6], labels[12]) == (13, "A", "8", "2")


@pytest.mark.parametrize(("kind", "rest"), [("complex", ""), ("variable", " of hands at all stacks")])
def test_the_run_that_is_shown_is_the_nearest_to_the_mean(kind: str, rest: str) -> None:
    all_hands, none = ("1" if kind == "complex" else "A") * 169, "0" * 169
    solutions = {100.0: [all_hands, none], 0.0: [none, none], 1.0: [none, none]}
    plan, name = FunkePlan(True, 1), f"{kind}/sure"
    plan.experiments[name] = replace(plan.experiments[name], runs=3)
    results = {
        f"{name}/{number}": {"genes": genes, "jam": jam, "call": 0.0}
        for number, (jam, genes) in enumerate(solutions.items())
    }
    run, called = shown_run(FunkeResults(plan, results), name)
    place, mean = (3, 33.7) if kind == "complex" else (2, 33.3)
    assert run is results[f"{name}/{place - 1}"]
    assert called == f"run {place} of 3, the nearest to their mean, {mean}/0.0{rest}"
