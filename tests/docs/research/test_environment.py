"""The example of ``docs/environment.md`` learns, and its commands show what it is worth."""

from __future__ import annotations

from pathlib import Path

from tests.docs.made import MADE
from tests.docs.pages import ENVIRONMENT, blocks
from tests.docs.workspace import lay, shell


def test_the_observation_is_that_of_the_code() -> None:
    (made,) = [made for made in MADE if made.page == ENVIRONMENT]
    assert [block.text for block in blocks(ENVIRONMENT, "observation")] == [made.make()]


def test_the_learner_beats_call(tmp_path: Path) -> None:
    (program,) = blocks(ENVIRONMENT, "python")
    (commands,) = blocks(ENVIRONMENT, "sh")
    place = lay(tmp_path)
    # Fewer tables and matches teach and show enough.
    assert program.text.count("TABLES, STEPS = 512,") == commands.text.count("--matches 5") == 1
    (place / "learn.py").write_text(program.text.replace("= 512,", "= 192,"), encoding="utf-8")
    learn, evaluate = commands.text.replace("--matches 5", "--matches 2").splitlines()
    shell(learn, place)
    _, call, fair = shell(evaluate, place).splitlines()
    won = {row.split()[0]: (float(row.split()[1]), float(row.split()[2])) for row in (call, fair)}
    mean, half = won["call"]
    assert mean > half
    assert won["fair"][0] < 0
