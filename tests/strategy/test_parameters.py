"""Parameters: read from plain values, checked, and refused with key, value and what is allowed."""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from dealer.rules.games import holdem
from strategy.adaptive.bot import AdaptiveBot
from strategy.adaptive.parameters import AdaptiveParameters
from strategy.parameters import (
    BadParameters,
    bool_field,
    changed_values,
    choice_field,
    int_field,
    load_values,
    number_field,
    numbers_field,
    path_field,
    read_parameters,
    settings_of,
    verify_fields,
)
from strategy.registry import create_strategy, parameters_of, parameters_type, strategy_names


@dataclass(frozen=True)
class Settings:
    heat: float = number_field("how hot", 0.5, 0, 1)
    hands: int = int_field("how many", 10, 1, 100, stranger_high=20)
    loud: bool = bool_field("how loud", False)
    style: str = choice_field("how", "plain", "plain", "wild")
    steps: tuple[float, ...] = numbers_field("how far", (0.1,), (1, 4), 0, 1)
    book: str = path_field("which book", "")

    def __post_init__(self) -> None:
        verify_fields(self)


def test_what_is_not_given_keeps_its_default() -> None:
    assert read_parameters(Settings, {}) == Settings(0.5, 10, False, "plain", (0.1,))
    given = {"heat": 1, "hands": 3, "loud": True, "style": "wild", "steps": [0, 0.5, 1, 1]}
    assert read_parameters(Settings, given) == Settings(1.0, 3, True, "wild", (0.0, 0.5, 1.0, 1.0))
    assert read_parameters(Settings, {"steps": 0.3}).steps == (0.3,)


@pytest.mark.parametrize(
    ("key", "value", "named"),
    [
        ("heat", 1.01, ["0", "1"]),
        ("heat", "hot", ["0", "1"]),
        ("heat", float("nan"), ["0", "1"]),
        ("heat", True, ["0", "1"]),
        ("hands", 0, ["1", "100"]),
        ("hands", 2.0, ["1", "100"]),
        ("loud", 1, ["true", "false"]),
        ("style", "mild", ['"plain"', '"wild"']),
        ("style", ["wild"], ['"plain"', '"wild"']),
        ("steps", [0.1, 0.2], ["1", "4", "0", "1"]),
        ("steps", [2], ["1", "4", "0", "1"]),
        ("steps", True, ["1", "4", "0", "1"]),
        ("depth", 1, ["heat", "hands", "loud", "style", "steps", "book"]),
    ],
)
def test_a_refusal_says_key_value_and_what_is_allowed(key: str, value: object, named: list[str]) -> None:
    with pytest.raises(BadParameters) as refusal:
        read_parameters(Settings, {key: value})
    error = refusal.value
    assert (error.code, error.key) == ("bad_parameters", key)
    assert re.search(".*".join(named), error.allowed)
    assert str(error) == f"{key} = {value!r}: {error.allowed}"


def test_a_long_value_is_cut() -> None:
    with pytest.raises(BadParameters) as refusal:
        read_parameters(Settings, {"style": "x" * 500})
    assert len(str(refusal.value)) < 150


def test_what_is_allowed_is_told_in_words() -> None:
    setting = settings_of(Settings)["hands"]
    assert (setting.default, re.findall(r"\d+", setting.allowed)) == (10, ["1", "100"])


def test_a_stranger_sets_less_and_names_no_files() -> None:
    assert settings_of(Settings, stranger=True)["hands"].most == 20
    assert set(settings_of(Settings)) - set(settings_of(Settings, stranger=True)) == {"book"}
    assert read_parameters(Settings, {"hands": 20}, stranger=True).hands == 20
    for values in ({"hands": 21}, {"book": "/etc/passwd"}, {"book": ""}, {"heat": 2}):
        with pytest.raises(BadParameters) as refusal:
            read_parameters(Settings, values, stranger=True)
        assert [refusal.value.key] == list(values)


def test_what_differs_from_the_defaults() -> None:
    values = {"heat": 0.25, "steps": [0.5], "loud": True}
    assert changed_values(read_parameters(Settings, {**values, "hands": 10})) == values
    assert changed_values(Settings()) == {}


@pytest.mark.parametrize("name", strategy_names())
def test_a_bot_without_parameters_has_the_defaults(name: str) -> None:
    kind = parameters_type(name)
    if kind is None:
        return
    assert all(setting.meaning for setting in settings_of(kind).values())
    assert kind() == parameters_of(name, {}, stranger=True)
    player = create_strategy(name, 1, holdem(2, 5, 10))
    if hasattr(player, "parameters"):
        assert player.parameters == kind()


def test_parameters_are_described_without_heavy_libraries() -> None:
    program = """
import sys
from strategy.registry import parameters_type, strategy_names
assert any([parameters_type(name) for name in strategy_names()])
print(*(module for module in ("numba", "numpy") if module in sys.modules))
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


def test_values_come_from_a_file_or_from_json(tmp_path: Path) -> None:
    path = tmp_path / "bold.toml"
    path.write_text('raise_at = 0.4\nmu = [0.1, 0.2, 0.3, 0.4]\nmemory = "window"\n', encoding="utf-8")
    values = {"raise_at": 0.4, "mu": [0.1, 0.2, 0.3, 0.4], "memory": "window"}
    assert load_values(str(path)) == values
    assert load_values('{"raise_at": 0.4, "mu": [0.1, 0.2, 0.3, 0.4], "memory": "window"}') == values


@pytest.mark.parametrize("text", ['{"raise_at": ', "[0.4", "[1]", '"bold"', "0.4", "MISSING", "FILE"])
def test_what_cannot_be_read_is_refused(text: str, tmp_path: Path) -> None:
    path = tmp_path / "wrong.toml"
    path.write_text("raise_at = \n", encoding="utf-8")
    given = {"FILE": str(path), "MISSING": str(tmp_path / "none.toml")}.get(text, text)
    with pytest.raises(BadParameters):
        load_values(given)


def test_the_registry_passes_them_on() -> None:
    parameters = parameters_of("adaptive", {"raise_at": 0.7})
    player = create_strategy("adaptive", 1, holdem(2, 5, 10), parameters)
    assert isinstance(player, AdaptiveBot)
    assert player.parameters == AdaptiveParameters(raise_at=0.7)


def test_parameters_of_another_bot_are_refused() -> None:
    with pytest.raises(BadParameters):
        create_strategy("adaptive2", 1, holdem(2, 5, 10), AdaptiveParameters())
    with pytest.raises(BadParameters):
        create_strategy("call", 1, holdem(2, 5, 10), AdaptiveParameters())
    with pytest.raises(BadParameters, match="call"):
        parameters_of("call", {"raise_at": 0.7})
