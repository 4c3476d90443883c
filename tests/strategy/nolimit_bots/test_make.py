"""The files that ``nolimit`` plays, by the commands that they record."""

from __future__ import annotations

import json
import shlex
import shutil
import sys
from pathlib import Path

import numpy as np
import pytest

from dealer.rules.actions import CALL, FOLD, raise_to
from dealer.rules.betting import Betting
from dealer.rules.games import holdem
from pokerd.__main__ import main
from strategy.nolimit.holdem import SIZES, ClusterDeals
from strategy.nolimit.sampling import Deal
from strategy.nolimit_bots import make
from strategy.nolimit_bots.policy import CARDS_FILE, DEPTHS, policy_file, read_policy
from strategy.parameters import BadParameters
from strategy.poker.kernels import State
from strategy.registry import create_strategy, parameters_of
from strategy.situation import situation_at


def _deal(deals: ClusterDeals, state: State, count: int) -> Deal:
    """Deals of other cards: the states of hold'em take minutes."""
    dice = np.random.default_rng(int(state[0]))
    states = dice.integers(SIZES, size=(count, 2, len(SIZES)), dtype=np.int32)
    return Deal(states, dice.integers(-1, 2, size=count, dtype=np.int8))


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ClusterDeals, "deal", _deal)
    monkeypatch.setattr(ClusterDeals, "prepare", lambda deals, report: None)
    monkeypatch.setattr(make, "make_cards", lambda seed: seed)
    monkeypatch.setattr(make, "packed_cards", lambda seed: b"cards %d" % seed)


def run(command: str, file: Path, out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    train, _, then = command.partition(" && ")
    words = [{"FILE": str(file), "DIR": str(out)}.get(word, word) for word in shlex.split(train)]
    assert words[:3] == ["python", "-m", "pokerd"]
    assert main(words[3:]) == 0
    words = [{"FILE": str(file), "DIR": str(out)}.get(word, word) for word in shlex.split(then)]
    assert words[:3] == ["python", "-m", "strategy.nolimit_bots.make"]
    monkeypatch.setattr(sys, "argv", words[2:])
    make.main()


@pytest.mark.parametrize("menu", [(), ("--menu", "0.5 a/a/a/a")])
def test_the_recorded_command_gives_the_same_files(
    menu: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    train = ("train", "nolimit", "--depth", "3", "--seed", "5", "--out", str(tmp_path / "one.npz"), *menu)
    # Stopped once, and with two threads.
    assert main([*train, "--iterations", "1"]) == 0
    assert main([*train, "--iterations", "3", "--workers", "2"]) == 0
    facts = json.loads(make.make(tmp_path / "one.npz", tmp_path / "one").read_text("ascii"))
    run(facts["command"], tmp_path / "two.npz", tmp_path / "two", monkeypatch)
    names = {path.name for path in (tmp_path / "one").iterdir()}
    assert names == {f"nolimit-{what}" for what in ("3.json", "3.xz", "cards.json", "cards.xz")}
    for name in names:
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()
    cards = json.loads((tmp_path / "one" / "nolimit-cards.json").read_text("ascii"))
    run(cards["command"], tmp_path / "three.npz", tmp_path / "three", monkeypatch)
    for name in ("nolimit-cards.json", "nolimit-cards.xz"):
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "three" / name).read_bytes()


def test_all_strategies_of_a_folder_have_its_card_states(tmp_path: Path) -> None:
    for seed in ("1", "2"):
        train = ("train", "nolimit", "--depth", "3", "--seed", seed, "--menu", "a/a/a/a", "--iterations", "1")
        assert main([*train, "--out", str(tmp_path / f"{seed}.npz")]) == 0
    make.make(tmp_path / "1.npz", tmp_path / "out")
    with pytest.raises(ValueError, match="another seed"):
        make.make(tmp_path / "2.npz", tmp_path / "out")


def test_a_strategy_of_ones_own_is_played(tmp_path: Path) -> None:
    train = ("train", "nolimit", "--depth", "3", "--menu", "a/a/a/a", "--iterations", "1")
    assert main([*train, "--out", str(tmp_path / "x.npz")]) == 0
    file = make.make(tmp_path / "x.npz", tmp_path)
    for suffix in (".json", ".xz"):
        shutil.copy(CARDS_FILE.with_suffix(suffix), tmp_path)
    game = holdem(2, 50, 100, stack=2_000)
    own = create_strategy("nolimit", 1, game, parameters_of("nolimit", {"strategy": str(file)}))
    situation = situation_at(Betting(game), (0, 5), ())
    own.decide(situation)
    chances = getattr(own, "chances")  # noqa: B009
    policy = read_policy(file)
    assert (policy.depth, policy.menu) == (3, "a/a/a/a")
    # All-in is a raise of the same size with deeper stacks.
    assert set(chances) <= {FOLD, CALL, raise_to(300)}
    state = policy.cards.state((0, 5), ())
    assert sorted(chances.values()) == sorted(one for one in policy.chances(0, state).tolist() if one)


@pytest.mark.parametrize("name", ["no.json", "nolimit-ring.json", "nolimit-cards.json", "nolimit-20.xz", "x"])
def test_what_is_no_strategy_is_refused(name: str, tmp_path: Path) -> None:
    (tmp_path / "x").write_text("{}")
    folder = tmp_path if name == "x" else CARDS_FILE.parent
    with pytest.raises(BadParameters):
        parameters_of("nolimit", {"strategy": str(folder / name)})


def test_what_comes_with_pokerd_records_such_commands() -> None:
    cards = json.loads(CARDS_FILE.read_text("ascii"))
    assert cards["command"] == make.command(10, "", cards["seed"], 1)
    for depth in DEPTHS:
        facts = json.loads(policy_file(depth).read_text("ascii"))
        assert facts["command"] == make.command(depth, "", facts["seed"], facts["batches"])
