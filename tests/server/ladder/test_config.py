"""The ladder's file."""

from __future__ import annotations

from pathlib import Path

import pytest

from server.ladder.config import CONFIG_FILE, TEMPLATE, load_config
from server.ladder.errors import LadderError


def _write(folder: Path, text: str) -> Path:
    (folder / CONFIG_FILE).write_text(text, encoding="utf-8")
    return folder


def test_the_file_that_init_writes_is_valid(tmp_path: Path) -> None:
    config = load_config(_write(tmp_path, TEMPLATE.format(name="course")))
    assert config.name == "course"
    assert config.hands_of_set(config.load_game(tmp_path)) == 2
    assert [rule.name for rule in config.grades] == ["beats call", "worth 200"]


@pytest.mark.parametrize(
    "text",
    [
        'name = "x"\nhouse = ["a", "b"]\ngame = "no such game"',
        'name = "x"\nhouse = ["a"]',
        'name = "x"\nhouse = ["a", "a"]',
        'name = "x"\nhouse = ["a", "b"]\nmatch = 1',
        'name = "x"\nhouse = ["a", "b"]\n[[grades]]\nname = "g"\nbeats = "c"',
        'name = "x"\nhouse = ["a", "b"]\n[[grades]]\nname = "g"\np = 0.9',
        "name = ",
    ],
)
def test_what_cannot_be_used_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(LadderError) as refused:
        load_config(_write(tmp_path, text))
    assert refused.value.code == "bad_ladder_file"


def test_another_directory_is_no_ladder(tmp_path: Path) -> None:
    with pytest.raises(LadderError) as refused:
        load_config(tmp_path)
    assert refused.value.code == "not_a_ladder"
