"""Projects for authors of bots: what is written, and what is refused."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from clients.new_bot import LANGUAGES, NewBotError, create_project
from pokerd.__main__ import main


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_project_has_bot_competition_and_readme(language: str, tmp_path: Path) -> None:
    folder = tmp_path / "shark"
    commands = create_project(folder, language)
    texts = {path.name: path.read_text("utf-8") for path in folder.iterdir()}
    assert {"shark.toml", "README.md"} < texts.keys()
    assert all(command in texts["README.md"] for command in commands)
    assert not any("NAME" in texts[name] for name in ("shark.toml", "README.md"))
    assert f"It needs {LANGUAGES[language].needs}." in texts["README.md"]
    examples = Path(__file__).parents[2] / "clients" / "examples"
    for name in LANGUAGES[language].sources:
        text = texts.pop(name.replace("bot", "shark"))
        # Only the names of the files are other ones.
        assert not any(f"bot{end}" in text for end in ("_test", ".test", ".mjs", ".go", ".cpp"))
        assert re.sub(r"shark(?=[._]\w)", "bot", text) == (examples / name).read_text("utf-8")


@pytest.mark.parametrize("name", ["Shark", "1st", "a-b", "", "x" * 33, "ünder", "a b"])
def test_a_name_that_is_none_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(NewBotError) as refused:
        create_project(tmp_path / "sub" / name if name else Path("/"), "python")
    assert refused.value.code == "bad_name"
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_exists_is_left_alone(tmp_path: Path) -> None:
    folder = tmp_path / "shark"
    folder.mkdir()
    (folder / "mine").touch()
    with pytest.raises(NewBotError) as refused:
        create_project(folder, "python")
    assert refused.value.code == "already_there"
    assert [path.name for path in folder.iterdir()] == ["mine"]


def test_what_cannot_be_written_leaves_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").touch()
    assert main(["new-bot", str(tmp_path / "file" / "shark")]) == 2
    assert capsys.readouterr().err.endswith("[not_written]\n")
    assert [path.name for path in tmp_path.iterdir()] == ["file"]
