"""``pokerd evolve``, and the bot that plays what it saved."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from PIL import Image

from pokerd.__main__ import main
from pokerd.commands.bot import bot_parser
from strategy.evolution.plan import EvolutionPlan, record, run_evolution
from strategy.pushfold.files import load_chart
from studies.harness import evolution_pictures
from studies.harness.evolution_pictures import EvolutionPictures
from tests.pokerd.commands import QUICK


@pytest.mark.parametrize(
    "asked",
    [
        ["--players", "simple"],
        ["--players", "complex", "--fitness", "matches", "--tournament", "round-robin"],
        [
            "--players",
            "variable",
            "--fitness",
            "matches",
            "--tournament",
            "against",
            "57/37",
            "--as-printed",
            "clamp",
        ],
    ],
)
def test_the_best_player_and_the_history_are_saved(
    asked: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "best.json"
    assert main(["evolve", *asked, *QUICK, "--out", str(out)]) == 0
    told = capsys.readouterr().out.splitlines()
    history = [json.loads(line) for line in (tmp_path / "best.json.history").read_text().splitlines()]
    assert len(told) == len(history) == 3
    assert [one["generation"] for one in history] == [0, 1, 2]
    assert [len(one["genes"]) for one in history] == [6, 6, 6]
    assert load_chart(out).caps == ("variable" in asked)
    made = json.loads(out.read_text())["made"]
    assert (made["players"], made["size"], made["generations"]) == (asked[1], 6, 3)
    # Defaults are saved, too, so that the run can be repeated when they change.
    assert made["matches"] == (10 if "against" in asked else 1)
    assert made["literal"] == (["clamp"] if "clamp" in asked else [])
    assert made["elite"] == (4 if len(asked) == 2 else int("against" in asked))


def test_rates_and_patience_are_those_asked_for(tmp_path: Path) -> None:
    out = tmp_path / "best.json"
    rates = ["--cross-rate", "0", "--mutation-rate", "0", "--patience", "1"]
    asked = ["--players", "complex", "--fitness", "matches", "--tournament", "round-robin"]
    assert main(["evolve", *asked, *QUICK, *rates, "--out", str(out)]) == 0
    history = [json.loads(line) for line in (tmp_path / "best.json.history").read_text().splitlines()]
    # Nothing is exchanged and nothing mutates: all are tables of the first generation.
    first = {table for player in history[0]["genes"] for table in player}
    assert {table for player in history[-1]["genes"] for table in player} <= first
    assert json.loads(out.read_text())["made"]["cross_rate"] == 0


@pytest.mark.parametrize("players", ["simple", "complex", "variable"])
def test_pictures_are_drawn_of_a_running_evolution(players: str, tmp_path: Path) -> None:
    drawn = tmp_path / "drawn"
    assert main(["evolve", "--players", players, *QUICK, "--pictures", str(drawn)]) == 0
    assert {path.name for path in drawn.iterdir()} == {
        "index.html",
        "progress.png",
        "population.png",
        "film.gif",
    }
    with Image.open(drawn / "film.gif") as film:
        assert getattr(film, "n_frames", 1) == 3
    page = (drawn / "index.html").read_text(encoding="utf-8")
    assert "film.gif" in page
    assert "refresh" not in page


def test_an_interruption_of_the_first_drawing_leaves_whole_pictures(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object) -> None:
        monkeypatch.undo()
        raise KeyboardInterrupt

    monkeypatch.setattr(evolution_pictures, "save_picture", interrupted)
    assert main(["evolve", *QUICK, "--pictures", str(tmp_path)]) == 130
    drawn = {"index.html", "progress.png", "population.png", "film.gif"}
    assert {path.name for path in tmp_path.iterdir()} == drawn


def test_the_film_is_drawn_of_a_running_evolution_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(evolution_pictures, "_FILM_EVERY", 0.0)
    plan = EvolutionPlan("simple", size=6, generations=1)
    pictures = EvolutionPictures(plan, tmp_path)
    pictures.add(record(plan, next(run_evolution(plan))))
    page = (tmp_path / "index.html").read_text(encoding="utf-8")
    assert "refresh" in page
    assert 'href="film.gif"' in page
    with Image.open(tmp_path / "film.gif") as film:
        assert film.format == "GIF"


def test_the_genes_of_at_most_60_generations_are_kept(tmp_path: Path) -> None:
    out = tmp_path / "best.json"
    asked = ["--players", "complex", "--tournament", "worst-case", "--population", "4", "--elite", "1"]
    assert main(["evolve", *asked, "--generations", "130", "--out", str(out)]) == 0
    history = [json.loads(line) for line in (tmp_path / "best.json.history").read_text().splitlines()]
    assert [one["generation"] for one in history] == list(range(130))
    assert [one["generation"] for one in history if "genes" in one] == list(range(0, 130, 3))


@pytest.mark.parametrize(
    "asked",
    [
        ["--tournament", "against"],
        ["--tournament", "against", "70"],
        ["--tournament", "round-robin", "70/60"],
        ["--tournament", "league"],
        ["--fitness", "matches"],
        ["--generations", "0"],
        ["--seed", "-1"],
        ["--stack", "nan"],
        ["--players", "variable", "--stack", "10"],
        ["--players", "complex", "--as-printed", "clamp"],
        ["--as-printed", "clamp"],
        ["--players", "variable", "--as-printed", "crossover"],
        ["--as-printed", "shift"],
        ["--tournament", "against", "101/50"],
        ["--cross-rate", "0.5"],
        ["--players", "complex", "--cross-rate", "1.5"],
        ["--mutation-rate", "-0.1"],
        ["--patience", "0"],
        ["--hands", "0"],
        ["--hands", "9999999999999999999999"],
        ["--matches", "0"],
        ["--tournament", "round-robin", "--fitness", "matches", "--matches", "9999999999"],
        ["--workers", "0"],
        ["--workers", "100000"],
    ],
)
def test_what_does_not_go_together_is_refused_and_writes_nothing(
    asked: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["evolve", *asked, "--out", str(tmp_path / "best.json")]) == 2
    assert "[bad_evolution]" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("out", ["", "folder"])
def test_a_directory_is_no_file_to_save_in(
    out: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "folder").mkdir()
    monkeypatch.chdir(tmp_path)
    assert main(["evolve", *QUICK, "--elite", "0", "--out", out]) == 2
    told = capsys.readouterr()
    assert (told.out, told.err[-11:]) == ("", "[os_error]\n")
    assert [path.name for path in tmp_path.rglob("*")] == ["folder"]


def test_only_the_bot_pushfold_takes_a_strategy() -> None:
    assert bot_parser("pushfold").parse_args(["--strategy", "a.json"]).strategy == "a.json"
    with pytest.raises(SystemExit):
        bot_parser("fair").parse_args(["--strategy", "a.json"])


def test_a_strategy_that_is_none_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.json").write_text("{}")
    assert main(["bot", "pushfold", "--strategy", str(tmp_path / "a.json")]) == 2
    assert "[bad_parameters]" in capsys.readouterr().err
