"""One form for all reports: the same facts as JSON and as text, and the same bytes for the same facts."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from math import inf
from pathlib import Path

from matplotlib.figure import Figure as Canvas
from PIL import Image

from dealer.intervals import Interval, mean_interval
from studies.harness.report import Animation, Figure, Row, StudyReport, write_report
from studies.harness.verdicts import (
    Judgement,
    claim_row,
    gain_row,
    judge_claim,
    judge_figure,
    judged_row,
    unjudged_row,
)


def draw(canvas: Canvas) -> None:
    canvas.subplots().plot([1, 2, 3])


REPORT = StudyReport(
    study="test",
    title="A test",
    quick=True,
    settings={"seed": 1, "tournaments": 4000},
    method=["One paragraph.", "Another."],
    rows=[
        Row("first", "1.2", "one | two", "p = .5", 1234, "reproduced", "A note."),
        judged_row(
            "second",
            "3",
            "mean",
            0.25,
            Interval(0.33333333, 0.1, 20),
            Judgement("not reproduced", 0.14, bound="± 0.05"),
        ),
        unjudged_row("third", "4", "one unit", mean_interval([2.0]), digits=0),
    ],
    figures=[Figure("line", "A line", draw)],
)


def test_a_report_is_written_as_json_text_and_pictures(tmp_path: Path) -> None:
    write_report(REPORT, tmp_path / "out")
    data = json.loads((tmp_path / "out" / "report.json").read_text("utf-8"))
    assert set(data) == {"study", "title", "quick", "settings", "core_hours", "method", "rows", "figures"}
    fields = {"id", "source", "claim", "paper", "measured", "low", "high", "verdict", "note", "detects"}
    fields |= {"units", "needed", "bound", "paper_noise"}
    assert all(set(row) == fields for row in data["rows"])
    second = data["rows"][1]
    assert (second["measured"], second["low"], second["high"]) == (0.3333, 0.2333, 0.4333)
    assert (data["rows"][2]["measured"], data["rows"][2]["low"]) == (2, None)
    assert data["figures"] == [{"file": "line.png", "caption": "A line"}]
    assert (tmp_path / "out" / "line.png").read_bytes().startswith(b"\x89PNG")


def test_figures_that_noise_hides_have_a_table_of_their_own_and_are_no_verdicts() -> None:
    hidden = judged_row(
        "fourth",
        "5",
        "mean",
        1.0,
        Interval(0.9, 0.1, 20),
        judge_figure(1.0, Interval(0.9, 0.1, 20), 0.5, 2.0),
    )
    assert hidden.verdict == "beyond"
    text = replace(REPORT, rows=[*REPORT.rows, hidden]).markdown()
    counts = "Measured: 1 not reproduced. Computed: 1 reproduced. Beyond the document: 1."
    assert f"4 rows. {counts} Hidden by the document's noise: 1.\n" in text
    claims, _, others = text.partition("## Hidden by the document's noise\n")
    table, _, beyond = others.partition("## Beyond the document\n")
    assert [part.count("| `fourth` |") for part in (claims, table, beyond)] == [0, 1, 0]
    assert "| `third` |" in beyond
    # Who has the figure, its noise, ours and the margin can judge it again.
    assert "| 1 ± 2 | 0.9 | 0.8 to 1 | ± 0.5 |" in table


def test_the_counts_say_what_the_sources_own_noise_leaves_of_them() -> None:
    rows = [
        claim_row("shown", "1", "gain", Interval(9.0, 1.0, 20), (0, inf), paper=5.0, noise=2.0),
        claim_row("unshown", "1", "gain", Interval(9.0, 1.0, 20), (0, inf), paper=5.0, noise=7.0),
        claim_row("missed", "1", "gain", Interval(-9.0, 1.0, 20), (0, inf), paper=5.0, noise=7.0),
    ]
    for key, noise in (("fair", 40.0), ("one-sided", 1100.0)):
        far = Interval(9000.0, 10.0, 20)
        rows.append(judged_row(key, "1", "mean", 0.0, far, judge_figure(0.0, far, 1000.0, noise)))
    text = replace(REPORT, rows=rows).markdown()
    assert re.search(r"Measured: 2 reproduced \(\D*\b1\b\D*\), 3 not reproduced \(\b1\b\D*\)", text)
    assert [row.id for row in rows if row.could_not_be_reproduced] == ["one-sided"]


def test_the_text_says_the_same(tmp_path: Path) -> None:
    text = REPORT.markdown()
    assert text.startswith(
        "# A test\n\nMade by `python -m pokerd study test --quick`: seed 1, tournaments 4,000."
    )
    assert "3 rows. Measured: 1 not reproduced. Computed: 1 reproduced. Beyond the document: 1.\n" in text
    assert r"| `first` | 1.2 | one \| two | p = .5 | 1,234 |  |  |  | reproduced |" in text
    assert "| 0.25 | 0.3333 | 0.2333 to 0.4333 | ± 0.05 | 0.14 | not reproduced |" in text
    assert "* `first`: A note." in text
    assert "![A line](line.png)" in text


def test_settings_of_parts_are_a_table_below_the_others() -> None:
    report = replace(
        REPORT, settings={"seed": 1, "runs in all of": {"one|two": 2000, "three": 3}, "more": {}}
    )
    head = "Made by `python -m pokerd study test --quick`: seed 1."
    table = "| runs in all of | |\n|---|---:|\n| one\\|two | 2,000 |\n| three | 3 |"
    assert f"{head}\n\n{table}\n\n" in report.markdown()
    assert "more" not in report.markdown()
    assert report.data()["settings"]["runs in all of"] == {"one|two": 2000, "three": 3}


def test_undecided_rows_say_what_they_had_and_what_they_would_need() -> None:
    known, other = Interval(5.0, 10.0, 40), Interval(2.5, 10.0, 40)
    rows = [
        judged_row("claim", "1", "more than 0", None, known, judge_claim(known, low=0)),
        judged_row("cheap", "1", "more than 0", None, known, judge_claim(known, low=0)),
        judged_row("never", "1", "0", 0, other, judge_figure(0, other, 5.0, 3.5)),
        Row("computed", "1", "unknown", 1, 2, "undecided"),
        gain_row("gain", "1", "a gain", known),
        gain_row("sure", "1", "a gain", known._replace(half=1.0)),
    ]
    seconds, contests = {"one/0": 3564.0, "two/0": 36.0}, {"cheap": ["two"]}
    report = replace(REPORT, quick=False, rows=rows, seconds=seconds, row_contests=contests)
    text = report.markdown()
    assert "| `claim` | 40 | 160 | 3 |" in text
    assert "| `cheap` | 40 | 160 | 0.03 |" in text
    assert "| `never` | 40 | none |  |" in text
    assert "| `computed` |  | none |  |" in text
    said, _, table = text.partition("## Undecided rows")[2].partition("|")
    assert "took 1 core-hours of CPU time on the machine that made it." in said
    assert "| `gain` | 40 | 160 | 3 |" in table
    assert "| `sure` | 40 |" not in table
    longer = replace(report, seconds={"one/0": 9000.0}).markdown()
    assert "took 2.5 core-hours of CPU time on the machine that made it, more than the aim." in longer
    assert "## Undecided rows" not in replace(report, quick=True).markdown()
    assert "## Undecided rows" not in replace(report, rows=REPORT.rows).markdown()


def test_the_same_facts_give_the_same_bytes(tmp_path: Path) -> None:
    for place in ("one", "two"):
        write_report(REPORT, tmp_path / place)
    for path in (tmp_path / "one").iterdir():
        assert path.read_bytes() == (tmp_path / "two" / path.name).read_bytes(), path.name


def test_a_film_shows_its_frames_in_order(tmp_path: Path) -> None:
    def frame(height: float) -> Callable[[Canvas], None]:
        def drawn(canvas: Canvas) -> None:
            canvas.subplots().axhline(height)

        return drawn

    film = Animation("moving", "A line that rises", [frame(0.1), frame(0.9)], (2, 2))
    write_report(replace(REPORT, figures=[film]), tmp_path)
    with Image.open(tmp_path / "moving.gif") as picture:
        assert getattr(picture, "n_frames", 1) == 2
        assert picture.info["duration"] == 500
        first = picture.convert("RGB").tobytes()
        picture.seek(1)
        assert picture.convert("RGB").tobytes() != first
    assert "![A line that rises](moving.gif)" in (tmp_path / "report.md").read_text("utf-8")
