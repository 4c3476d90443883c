from __future__ import annotations

import numpy as np
import pytest

from dealer.rules.cards import parse_cards
from strategy.mapping_bots.bias import (
    REFERENCE,
    TABLES_PATH,
    fold_shift,
    preflop_tables,
    printed_shift,
    shift_folds,
)
from strategy.poker.preflop import HAND_CLASSES, class_combinations

TABLES = preflop_tables()


def shift(bot: str, hole: str) -> float:
    return printed_shift(bot, parse_cards(hole))


def test_the_tables_are_complete() -> None:
    assert set(TABLES) == {"hyperborean", "hbb2", "hbb3", "hbb4"}
    for table in TABLES.values():
        assert set(table) == set(HAND_CLASSES)


def test_every_cell_sums_to_one_or_nothing() -> None:
    none = set()
    for bot, table in TABLES.items():
        for name, cell in table.items():
            if sum(cell) == 0:
                none.add((bot, name))
            else:
                # The document cuts off after three decimals.
                assert 0.997 < sum(cell) < 1.0001, (bot, name)
    assert none == {(bot, name) for bot in ("hbb2", "hbb3", "hbb4") for name in ("Q6s", "Q4s")}


def test_cells_of_the_document() -> None:
    assert TABLES["hyperborean"]["Q2s"] == (0.95, 0.047, 0.002)
    assert TABLES["hyperborean"]["K2s"] == (0.011, 0.506, 0.481)
    assert TABLES["hyperborean"]["K2o"] == (0.957, 0.042, 0.0)
    assert TABLES["hyperborean"]["22"] == (0.009, 0.402, 0.587)
    assert TABLES["hbb2"]["72s"] == (1.0, 0.0, 0.0)
    assert TABLES["hbb3"]["94o"] == (0.9, 0.1, 0.0)
    assert TABLES["hbb4"]["ATs"] == (0.0, 0.333, 0.666)


def test_suited_hands_stand_above_the_diagonal() -> None:
    # The reference bot folds offsuit hands more often than the same ranks suited.
    table = TABLES[REFERENCE]
    for name in HAND_CLASSES:
        if name.endswith("o"):
            assert table[name][0] >= table[f"{name[:2]}s"][0] - 0.03, name


def test_the_reference_folds_about_as_often_as_table_7_says() -> None:
    folds = sum(class_combinations(name) * cell[0] for name, cell in TABLES[REFERENCE].items()) / 1326
    assert folds == pytest.approx(0.545, abs=0.03)


def test_the_file_says_what_it_is() -> None:
    text = TABLES_PATH.read_text(encoding="ascii")
    assert "appendix B" in text
    assert '"illegible": ["AA", "AKs", "AQs", "AJs", "A7s", "A5s", "A3s", "A2s"]' in text


def test_the_documents_example_with_the_right_figure() -> None:
    assert shift("hbb2", "Qh2h") == pytest.approx(0.95)
    assert shift("hbb2", "AhKh") == 0
    assert shift("hbb2", "9c4d") == pytest.approx(0.967 - 0.95, abs=0.06)


def test_a_class_never_dealt_has_no_bias() -> None:
    assert TABLES["hyperborean"]["Q4s"][0] > 0
    for bot in ("hbb2", "hbb3", "hbb4"):
        assert shift(bot, "Qh4h") == shift(bot, "Qs6s") == 0


@pytest.mark.parametrize(
    ("said", "by", "wanted"),
    [
        ((0.1, 0.3, 0.6), 0.5, (0.6, 0.4 / 3, 0.8 / 3)),
        ((0.1, 0.3, 0.6), 0.95, (1, 0, 0)),
        ((0.4, 0.2, 0.4), -0.1, (0.3, 0.7 / 3, 1.4 / 3)),
        ((0.4, 0.2, 0.4), -0.9, (0, 1 / 3, 2 / 3)),
        ((1, 0, 0), -0.25, (0.75, 0.25, 0)),
        ((0.2, 0.3, 0.5), 0, (0.2, 0.3, 0.5)),
    ],
)
def test_a_shift_keeps_the_ratio_of_call_and_raise(
    said: tuple[float, ...], by: float, wanted: tuple[float, ...]
) -> None:
    assert shift_folds(np.array(said, float), by) == pytest.approx(np.array(wanted))


@pytest.mark.parametrize("bot", ["hbb1", "hbb2", "hbb3", "hbb4", "hbb5"])
def test_shifts_are_from_what_the_bot_that_plays_does(bot: str) -> None:
    """It folds less than both references, and strong hands hardly ever."""
    mean = (
        sum(class_combinations(name) * fold_shift(bot, parse_cards(EXAMPLES[name])) for name in HAND_CLASSES)
        / 1326
    )
    assert 0.2 < mean < 0.6
    assert abs(fold_shift(bot, parse_cards("KcKd"))) < 0.05


EXAMPLES = {name: f"{name[0]}s{name[1]}{'s' if name.endswith('s') else 'h'}" for name in HAND_CLASSES}
