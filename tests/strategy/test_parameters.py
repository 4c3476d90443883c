"""Parameters: read from plain values, checked, and refused with key, value and what is allowed."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import pytest

from dealer.rules.games import holdem
from strategy.adaptive.bot import AdaptiveBot, AdaptiveParameters
from strategy.parameters import (
    BadParameters,
    allowed_values,
    bool_field,
    choice_field,
    int_field,
    load_values,
    number_field,
    numbers_field,
    read_parameters,
    verify_fields,
)
from strategy.registry import create_strategy, parameters_of


@dataclass(frozen=True)
class Settings:
    heat: float = number_field(0.5, 0, 1)
    hands: int = int_field(10, 1, 100)
    loud: bool = bool_field(False)
    style: str = choice_field("plain", "plain", "wild")
    steps: tuple[float, ...] = numbers_field((0.1,), (1, 4), 0, 1)

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
        ("depth", 1, ["heat", "hands", "loud", "style", "steps"]),
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
    default, allowed = allowed_values(Settings)["hands"]
    assert (default, re.findall(r"\d+", allowed)) == (10, ["1", "100"])


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
