"""``pokerd train`` and ``pokerd exploitability``."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path

import pytest

from dealer.rules.games import load_game
from pokerd.__main__ import main
from pokerd.progress import show_progress
from strategy.blueprint.blueprint import SHIPPED
from strategy.cfr.files import read_header
from strategy.cfr.training import VARIANTS, chips_of
from tests.docs.pages import COMMANDS, ROOT, blocks, code, rows, section
from tests.pokerd.commands import KUHN, LEDUC, PUSH, told, trained

SOLVER = ROOT / "docs" / "solver.md"


def refused(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main([*arguments]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    return err.strip().rpartition(" ")[2].strip("[]")


def test_kuhn(capsys: pytest.CaptureFixture[str]) -> None:
    values = trained(capsys, KUHN, "--variant", "cfr+", "--iterations", "20000")
    assert (values["game"], values["variant"], values["iterations"]) == (KUHN, "cfr+", 20_000)
    assert values["value"] == pytest.approx([-1 / 18, 1 / 18], abs=1e-6)
    assert 0 <= values["exploitability"] < 1e-4
    assert values["exploitability_mbb"] == pytest.approx(1000 * values["exploitability"])
    assert values["seconds"] > 0
    assert values["cpu_seconds"] > 0
    assert values["curve"][0][0] == 1
    assert values["curve"][-1] == [20_000, values["seconds"], values["exploitability"]]


@pytest.mark.parametrize(
    ("variant", "most"), [("cfr", 0.0119), ("cfr+", 0.0003), ("dcfr", 0.0003), ("es-mccfr", 1.0)]
)
def test_the_variants_by_a_file(
    variant: str, most: float, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "mine.game").write_text(load_game(LEDUC).text())
    values = trained(capsys, str(tmp_path / "mine.game"), "--variant", variant, "--iterations", "1000")
    assert values["game"] == "mine"
    assert values["exploitability"] < most


def test_as_text(capsys: pytest.CaptureFixture[str]) -> None:
    lines = told(capsys, "train", "cfr", "kuhn.limit.3p", "--iterations", "10").splitlines()
    assert lines[0].split(", ")[:2] == ["kuhn.limit.3p", "cfr+"]
    assert [line.split("  ")[0] for line in lines[1:]] == [
        "solving", "exploitability", "value, position 0", "value, position 1", "value, position 2"
    ]  # fmt: skip
    assert lines[2].endswith(" mbb/hand")


def test_going_on_from_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "leduc"
    command = (LEDUC, "--out", str(file), "--iterations")
    assert trained(capsys, *command, "30")["iterations"] == 30
    again = trained(capsys, *command, "30")
    assert (again["iterations"], again["seconds"]) == (30, 0)
    kept = trained(capsys, *command, "80")
    assert kept["exploitability"] == trained(capsys, LEDUC, "--iterations", "80")["exploitability"]
    found = json.loads(told(capsys, "exploitability", LEDUC, str(file), "--json"))
    shared = ("game", "variant", "iterations", "exploitability", "exploitability_mbb", "value")
    assert found == {name: kept[name] for name in shared} | {"recorded": False}
    assert told(capsys, "exploitability", LEDUC, str(file)).startswith("leduc.limit.2p, cfr+, 80 ")


def test_for_some_seconds(capsys: pytest.CaptureFixture[str]) -> None:
    values = trained(capsys, LEDUC, "--seconds", "0.5")
    assert values["iterations"] > 1
    assert values["seconds"] >= 0.5
    assert trained(capsys, LEDUC, "--seconds", "100", "--iterations", "7")["iterations"] == 7


@pytest.mark.parametrize("hundredths", range(100, 2501, 7))
def test_stacks_of_big_blinds_in_hundredths_are_whole_chips(hundredths: int) -> None:
    game = load_game("holdem.nolimit.2p.reverse_blinds")
    assert chips_of(game, float(f"{hundredths / 100:.2f}")) == hundredths


def test_push_or_fold(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = str(tmp_path / "push")
    values = trained(capsys, *PUSH, "--iterations", "200", "--out", file)
    # Position 1 has the small blind; the big blind is 100 chips, the game's value -45.37 mbb/hand.
    assert values["value"][1] == pytest.approx(-4.537, abs=0.02)
    assert values["exploitability_mbb"] == pytest.approx(10 * values["exploitability"])
    assert values["exploitability_mbb"] < 0.1
    found = json.loads(told(capsys, "exploitability", PUSH[0], file, "--json"))
    assert found["exploitability"] == values["exploitability"]


def test_a_seed_is_of_what_is_drawn(capsys: pytest.CaptureFixture[str]) -> None:
    command = (KUHN, "--variant", "es-mccfr", "--iterations", "50", "--seed")
    first, again, other = (trained(capsys, *command, seed)["exploitability"] for seed in ("1", "1", "2"))
    assert first == again != other


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("no.such.game",), "unknown_game"),
        (("holdem.nolimit.2p.reverse_blinds",), "unsolvable_game"),
        (("custom.nolimit.4p.uneven", "--push-fold", "10"), "unsolvable_game"),
        ((KUHN, "--push-fold", "10"), "unsolvable_game"),
        ((*PUSH[:2], "10.001"), "bad_setting"),
        ((*PUSH[:2], "1e307"), "bad_setting"),
        ((*PUSH[:2], "0.5"), "unsolvable_game"),
        ((KUHN, "--buckets", "5"), "bad_setting"),
        (("holdem.limit.3p", "--variant", "es-mccfr", "--buckets", "1"), "bad_setting"),
        (("holdem.limit.3p", "--variant", "es-mccfr", "--buckets", "257"), "bad_setting"),
    ],
)
def test_what_cannot_be_solved(
    arguments: tuple[str, ...], code: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert refused(capsys, "train", "cfr", *arguments) == code


@pytest.mark.parametrize("variant", ["cfr+", "es-mccfr"])
def test_push_fold_of_a_limit_game_says_what_it_is_for(
    variant: str, capsys: pytest.CaptureFixture[str]
) -> None:
    refusals = {"cfr+": "unsolvable_game", "es-mccfr": "bad_setting"}
    assert (
        refused(capsys, "train", "cfr", HOLDEM, "--variant", variant, "--push-fold", "10")
        == refusals[variant]
    )


def test_files_that_do_not_fit(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, other = tmp_path / "kuhn", tmp_path / "none"
    trained(capsys, KUHN, "--iterations", "3", "--out", str(file))
    before = file.read_bytes()
    train = ("train", "cfr", KUHN, "--out")
    assert refused(capsys, *train, str(file), "--variant", "cfr") == "other_variant"
    assert refused(capsys, *train, str(file), "--seed", "4") == "other_setting"
    assert refused(capsys, "train", "cfr", LEDUC, "--out", str(file)) == "other_game"
    assert refused(capsys, "exploitability", LEDUC, str(file)) == "other_game"
    assert refused(capsys, "exploitability", KUHN, str(other)) == "os_error"
    other.write_text("{}")
    assert refused(capsys, "exploitability", KUHN, str(other)) == "wrong_file"
    assert refused(capsys, *train, str(other)) == "wrong_file"
    other.write_bytes(before[: len(before) // 2])
    assert refused(capsys, "exploitability", KUHN, str(other)) == "damaged_file"
    assert file.read_bytes() == before


@pytest.mark.parametrize(
    "arguments",
    [
        ("--variant", "lcfr"),
        ("--iterations", "0"),
        ("--seconds", "0"),
        ("--seconds", "inf"),
        ("--seconds", "nan"),
        ("--buckets", "-1"),
    ],
)
def test_arguments_without_sense(arguments: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(["train", "cfr", KUHN, *arguments])
    assert caught.value.code == 2
    err = capsys.readouterr().err
    assert arguments[0] in err
    assert ("finite" in err) == (arguments[0] == "--seconds")


class Ticking:
    """A clock that is ten seconds on at each look."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        self.now += 10
        return self.now


def test_a_log_gets_a_line_now_and_then(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("time.monotonic", Ticking())
    with show_progress(7, 1000) as show:
        for number in range(8):
            show(0, f"tables {number / 10:.0%}")
        for number in range(10):
            show(number, "")
    out, err = capsys.readouterr()
    assert out == ""
    assert err.splitlines() == [
        *(f"0 iterations, tables {part}%" for part in (0, 30, 60)),
        *(f"{number} iterations" for number in (1, 4, 7)),
    ]


def test_short_work_says_nothing_on_standard_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["train", "cfr", KUHN, "--iterations", "20"]) == 0
    assert capsys.readouterr().err == ""


# The page.


RAISED = re.compile(r'(?:GameError|SolveError)\(\s*"([a-z_]+)"|^    code = "([a-z_]+)"', re.MULTILINE)


def codes_in(*modules: str) -> set[str]:
    """The codes that modules raise."""
    found = RAISED.findall("".join((ROOT / module).read_text("utf-8") for module in modules))
    return {one or other for one, other in found}


def test_the_page_tells_every_code_and_no_other() -> None:
    cells = [first for first, *_ in rows(section(SOLVER, "## Files"))]
    told_codes = {name for cell in cells for name in code(cell)} - HEADER
    small = [f"strategy/cfr/{name}.py" for name in ("files", "small", "solver", "training", "tree")]
    raised = codes_in(*small, "strategy/poker/allin.py", "strategy/lbr/exploitability.py")
    # Of code that asks for what is not there, not of a command.
    raised -= {"no_such_history"}
    others = {"unknown_game", "unreadable_game", "bad_stacks", "other_variant", "other_setting"}
    assert told_codes == raised | others
    assert codes_in("strategy/blueprint/bucketed.py", "strategy/three_player/cfr_three.py") <= told_codes


HEADER = {"format", "version", "sha256", "game", "name", "variant", "buckets", "push_fold", "seed"}


def test_the_page_tells_the_header_of_a_file(tmp_path: Path) -> None:
    train = ["train", "cfr", KUHN, "--iterations", "1", "--out", str(tmp_path / "x")]
    assert main(train) == 0
    assert set(read_header(tmp_path / "x")) > HEADER


def test_the_page_tells_variants_and_keys(capsys: pytest.CaptureFixture[str]) -> None:
    first_cells = [first for first, *_ in rows(section(SOLVER, "## Variants"))]
    assert tuple(name for cell in first_cells[:4] for name in code(cell)) == VARIANTS
    assert set(trained(capsys, KUHN, "--iterations", "1")) <= set(code(section(COMMANDS, "## train")))


def test_the_output_that_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    for page in (SOLVER, COMMANDS):
        for block in blocks(page, "text"):
            command, _, shown = block.text.partition("\n")
            if command.startswith("$ python -m pokerd train"):
                lines = told(capsys, *command.removeprefix("$ python -m pokerd ").split()).splitlines()
                for line, expected in zip(lines, shown.splitlines(), strict=True):
                    if "exploitability" in line:
                        # Its last digits depend on the machine.
                        assert line.split()[:1] == expected.split()[:1]
                        assert float(line.split()[1]) == pytest.approx(float(expected.split()[1]), rel=0.2)
                    elif "solving" not in line:
                        assert line == expected


def test_the_figures_of_leduc(capsys: pytest.CaptureFixture[str]) -> None:
    for variant, figure in re.findall(r"^\| `([a-z+]+)` \| (0\.\d+) \|$", SOLVER.read_text("utf-8"), re.M):
        values = trained(capsys, LEDUC, "--variant", variant, "--iterations", "1000")
        assert values["exploitability"] == pytest.approx(float(figure), rel=0.1)


def test_the_values_of_push_or_fold_that_are_shown(capsys: pytest.CaptureFixture[str]) -> None:
    ((_, *stacks), (_, *values)) = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in section(SOLVER, "## Push or fold").splitlines()
        if line.startswith(("| stack", "| value"))
    ]
    for stack, value in zip(stacks, values, strict=True):
        found = trained(capsys, *PUSH[:2], stack, "--iterations", "100")
        assert 10 * found["value"][1] == pytest.approx(float(value), abs=0.3)


def test_lbr_of_another_game_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    trained(capsys, KUHN, "--iterations", "1", "--out", str(tmp_path / "file"))
    assert refused(capsys, "exploitability", KUHN, str(tmp_path / "file"), "--lbr", "2") == "bad_setting"


def test_a_number_that_is_none_is_told_plainly(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["train", "cfr", KUHN, "--iterations", "1e3"])
    assert re.search("--iterations.*'1e3'", capsys.readouterr().err)


HOLDEM = "holdem.limit.2p.reverse_blinds"


def test_the_shipped_blueprint_by_its_name(capsys: pytest.CaptureFixture[str]) -> None:
    side = json.loads(SHIPPED.with_suffix(".json").read_text("ascii"))
    values = json.loads(told(capsys, "exploitability", HOLDEM, "cfr", "--lbr", "2", "--json"))
    assert (values["game"], values["iterations"]) == (HOLDEM, side["iterations"])
    assert values["exploitability_mbb"] == side["exploitability_mbb"]
    assert values["exploitability"] == pytest.approx(side["exploitability_mbb"] / 100)
    assert values["value"] == pytest.approx([value / 100 for value in side["value_mbb"]])
    assert values["lbr_deals"] == 2
    assert values["recorded"] is True
    assert "mbb/hand" in told(capsys, "exploitability", HOLDEM, "cfr")
    alone = json.loads(told(capsys, "exploitability", HOLDEM, str(SHIPPED), "--json"))
    assert alone == {key: value for key, value in values.items() if not key.startswith("lbr")}


def test_what_solves_the_river_has_a_bound_alone(capsys: pytest.CaptureFixture[str]) -> None:
    command = ("exploitability", HOLDEM, "cfr+river")
    assert refused(capsys, *command) == "bad_setting"
    values = json.loads(told(capsys, *command, "--lbr", "2", "--json"))
    assert values["exploitability"] is None
    assert values["exploitability_mbb"] is None
    assert values["value"] == [None, None]
    assert values["recorded"] is False
    plain = json.loads(told(capsys, "exploitability", HOLDEM, "cfr", "--lbr", "2", "--json"))
    assert values["lbr_mbb"] != plain["lbr_mbb"]


def test_blueprints_that_do_not_fit(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "other.xz"
    assert refused(capsys, "exploitability", HOLDEM, str(file)) == "os_error"
    file.write_bytes(SHIPPED.read_bytes())
    # Without its side file, and with that of another.
    assert refused(capsys, "exploitability", HOLDEM, str(file)) == "wrong_file"
    file.with_suffix(".json").write_text('{"k": 5, "sha256": ""}')
    assert refused(capsys, "exploitability", HOLDEM, str(file)) == "wrong_file"
    for name in ("cfr", "cfr+river", str(SHIPPED)):
        assert refused(capsys, "exploitability", KUHN, name, "--lbr", "2") == "other_game"


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("variant", None),
        ("variant", 3),
        ("iterations", "1500"),
        ("exploitability_mbb", "0.3"),
        ("exploitability_mbb", math.nan),
        ("value_mbb", [1.0]),
        ("exploitability_mbb", 10**400),
        ("value_mbb", [1.0, math.inf]),
        ("value_mbb", "ab"),
    ],
)
def test_a_side_file_without_its_figures_is_wrong(
    key: str, value: object, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "other.xz"
    file.write_bytes(SHIPPED.read_bytes())
    side = json.loads(SHIPPED.with_suffix(".json").read_text("ascii")) | {key: value}
    if value is None:
        del side[key]
    file.with_suffix(".json").write_text(json.dumps(side))
    assert refused(capsys, "exploitability", HOLDEM, str(file)) == "wrong_file"


def test_the_shipped_blueprint_tells_both_and_which_is_which() -> None:
    side = json.loads(SHIPPED.with_suffix(".json").read_text("ascii"))
    bound = side["real_game"]
    assert "lower bound" in bound["about"]
    assert 0 < bound["lbr_mbb_error"] < bound["lbr_mbb"]
    assert side["exploitability_mbb"] < bound["lbr_mbb"] - bound["lbr_mbb_error"]
    command = f"python -m pokerd exploitability {HOLDEM} cfr --lbr {bound['lbr_deals']} --json"
    assert bound["made_by"] == command
    # The page says the same.
    assert f"| `cfr` | {bound['lbr_deals']:,} | {bound['lbr_mbb']:.0f} +- {bound['lbr_mbb_error']:.0f} |" in (
        SOLVER.read_text("utf-8")
    )
