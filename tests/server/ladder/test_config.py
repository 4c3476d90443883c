"""The ladder's file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dealer.luck.value import shipped_value
from pokerd.__main__ import main
from server.ladder.config import CONFIG_FILE, TEMPLATE, load_config
from server.ladder.errors import LadderError


def _write(folder: Path, text: str) -> Path:
    (folder / CONFIG_FILE).write_text(text, encoding="utf-8")
    return folder


@pytest.mark.parametrize(
    ("folder", "name"),
    [
        ("course", "course"),
        ("my_course 2027!", "my_course-2027"),
        ('a"b\n', "a-b"),
        ("Übung", "bung"),
        ("__", "ladder"),
    ],
)
def test_whatever_its_folder_is_called_the_file_that_init_writes_is_valid(
    tmp_path: Path, folder: str, name: str
) -> None:
    assert main(["ladder", "init", str(tmp_path / folder)]) == 0
    config = load_config(tmp_path / folder)
    assert config.name == name
    assert config.hands_of_set(config.load_game(tmp_path)) == 2
    assert [rule.name for rule in config.grades] == ["beats call", "worth 200"]


def test_a_ladder_that_has_not_begun_is_read_without_a_trace(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _write(tmp_path, TEMPLATE.format(name="course"))
    for words in (("ladder", "show", "--json"), ("ladder", "grades"), ("ladder", "screen"), ("verify",)):
        assert main([*words, str(tmp_path)]) == 0
    told = json.loads(capsys.readouterr().out.partition("\n}")[0] + "}")
    assert (told["season"], told["value_function"]) == ("1", shipped_value().digest)
    assert [path.name for path in tmp_path.iterdir()] == [CONFIG_FILE]


@pytest.mark.parametrize(
    "text",
    [
        'name = "x"\nhouse = ["a", "b"]\ngame = "no such game"',
        'name = "x"\nhouse = ["a"]',
        'name = "x"\nhouse = ["a", "b"]\ngame = "holdem.limit.6p"',
        'name = "x"\nhouse = ["a", "a"]',
        'name = "x"\nhouse = ["a", "b"]\nmatch = 1',
        'name = "x"\nhouse = ["a", "b"]\n[[grades]]\nname = "g"\nbeats = "c"',
        'name = "x"\nhouse = ["a", "b"]\n[[grades]]\nname = "g"\nbeats = "a"\np = 0.9',
        'name = "x"\nhouse = ["a", "b"]\n[[grades]]\nname = "g"',
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


def test_a_house_bot_that_there_is_not_plays_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _write(tmp_path, 'name = "x"\nhouse = ["fair", "lokii"]')
    assert main(["ladder", "serve", str(tmp_path)]) == 2
    told = capsys.readouterr().err
    assert ("'lokii'" in told, "[bad_ladder_file]" in told) == (True, True)
    assert [path.name for path in tmp_path.iterdir()] == [CONFIG_FILE]


def test_a_house_bot_that_is_called_as_an_author_is_not_put_in(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _write(tmp_path, 'name = "x"\nhouse = ["fair", "call"]')
    (tmp_path / "students.csv").write_text("Raise\n", encoding="utf-8")
    assert main(["ladder", "roster", str(tmp_path), str(tmp_path / "students.csv")]) == 0
    _write(tmp_path, 'name = "x"\nhouse = ["fair", "call", "raise"]')
    assert main(["ladder", "serve", str(tmp_path)]) == 2
    assert "'raise'" in capsys.readouterr().err
