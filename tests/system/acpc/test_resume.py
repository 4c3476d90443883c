"""A match that was killed goes on from its transaction log as if nothing had happened."""

import random
import re
from pathlib import Path

import pytest

from tests.support.programs import eventually
from tests.system.acpc.matches import Dealer
from tests.system.acpc.raw import drive

GAME = "holdem.nolimit.2p.reverse_blinds.game"
KINDS = ("hash", "wild")
MATCH = ("cut", GAME, 12, 5, "A", "B", "-T")


def results(directory: Path) -> list[str]:
    log = (directory / "cut.log").read_text(encoding="ascii")
    return [line for line in log.splitlines() if line.startswith(("STATE", "SCORE"))]


def actions(directory: Path) -> list[str]:
    """The transaction log without its times."""
    lines = (directory / "cut.tlog").read_text(encoding="ascii").splitlines()
    return [" ".join(line.split()[:2]) for line in lines]


def _wait_for_actions(directory: Path, count: int) -> None:
    eventually(lambda: len(actions(directory)) >= count)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[list[str], list[str]]:
    """The results and actions of the match without a break."""
    directory = tmp_path_factory.mktemp("whole")
    with Dealer(directory, *MATCH, "-q") as dealer:
        drive(dealer.ports, GAME, KINDS)
        assert dealer.end()[0] == 0
    return results(directory), actions(directory)


@pytest.mark.parametrize("seed", range(5))
def test_killed_at_any_action_and_resumed(
    seed: int, whole: tuple[list[str], list[str]], tmp_path: Path
) -> None:
    states, taken = whole
    for cut in sorted(random.Random(seed).sample(range(1, len(taken)), 2)):
        with Dealer(tmp_path, *MATCH, "-q", "-a") as dealer:
            before = len(actions(tmp_path))

            def go_on(number: int, until: int = cut - before) -> bool:
                return number < until

            drive(dealer.ports, GAME, KINDS, go_on)
            _wait_for_actions(tmp_path, cut)
            dealer.process.kill()
    with Dealer(tmp_path, *MATCH, "-q", "-a") as dealer:
        drive(dealer.ports, GAME, KINDS)
        code, output = dealer.end()

    assert (code, output) == (0, states[-1] + "\n")
    assert results(tmp_path) == states
    assert actions(tmp_path) == taken


def test_lines_that_were_never_finished_are_cut_off(
    whole: tuple[list[str], list[str]], tmp_path: Path
) -> None:
    with Dealer(tmp_path, *MATCH, "-q") as dealer:
        drive(dealer.ports, GAME, KINDS, lambda number: number < 30)
        _wait_for_actions(tmp_path, 30)
        dealer.process.kill()
    for name in ("cut.log", "cut.tlog"):
        with (tmp_path / name).open("a", encoding="ascii") as file:
            file.write("STATE:7:cr30" if name.endswith(".log") else "r20")
    with Dealer(tmp_path, *MATCH, "-q", "-a") as dealer:
        drive(dealer.ports, GAME, KINDS)
        assert dealer.end()[0] == 0
    assert results(tmp_path) == whole[0]


def test_without_append_the_match_begins_anew(whole: tuple[list[str], list[str]], tmp_path: Path) -> None:
    for _ in range(2):
        with Dealer(tmp_path, *MATCH, "-q") as dealer:
            drive(dealer.ports, GAME, KINDS)
            assert dealer.end()[0] == 0
    assert results(tmp_path) == whole[0]
    assert actions(tmp_path) == whole[1]


@pytest.mark.parametrize(
    "line",
    [
        "r200 1 1.000000 1.000000",
        "c 0",
        "x 0 1.000000 1.000000",
        "r1 0 1.000000 1.000000",
        "f 0 1.000000 1.000000\nc 0 1.000000 1.000000",
    ],
)
def test_a_log_of_another_match_is_refused(line: str, tmp_path: Path) -> None:
    (tmp_path / "cut.tlog").write_text(line + "\n", encoding="ascii")
    with Dealer(tmp_path, *MATCH, "-a") as dealer:
        code, output = dealer.end()
    assert (code, output) == (1, "")
    assert dealer.transcript.rstrip().endswith("[bad_tlog]")
    assert (tmp_path / "cut.tlog").read_text(encoding="ascii") == line + "\n"


def test_the_clocks_are_resumed_too(tmp_path: Path) -> None:
    (tmp_path / "cut.tlog").write_text("c 0 100.000000 100.900000\n", encoding="ascii")
    with Dealer(tmp_path, *MATCH, "-a", "--t_hand", "1000") as dealer:
        drive(dealer.ports, GAME, ("call", "call"), lambda number: number < 8)
        assert dealer.end()[0] == 1
    (tmp_path / "cut.tlog").write_text("c 0 100.000000 101.100000\n", encoding="ascii")
    with Dealer(tmp_path, *MATCH, "-a", "--t_hand", "1000") as dealer:
        drive(dealer.ports, GAME, ("call", "call"))
        assert dealer.end()[0] == 1
    assert re.search(r"seat 2 .*\[out_of_time\]", dealer.transcript)
