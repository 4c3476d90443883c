"""Bots in this process: the matches are those that a server would play."""

from __future__ import annotations

from collections import Counter
from typing import Any, ClassVar

import pytest

from dealer.rules.actions import Action, raise_to
from dealer.rules.errors import IllegalAction
from dealer.rules.games import load_game
from pokerd_bot.bot import Bot
from pokerd_bot.hand import Hand, Match
from pokerd_bot.testing import _message, decide, play
from pokerd_bot.turn import Turn
from protocol import messages
from server import view

OPPONENTS = ("call", "fold", "raise", "random")


class Told(Bot):
    """Counts what it is told, and calls."""

    threaded = False
    made: ClassVar[list[Told]] = []

    def __init__(self, match: Match) -> None:
        super().__init__(match)
        self.told: Counter[str] = Counter()
        self.net: float = 0
        self.made.append(self)

    def prepare(self) -> None:
        self.told["prepare"] += 1

    def act(self, turn: Turn) -> Action:
        self.told["act"] += 1
        return turn.call()

    def hand_started(self, hand: Hand) -> None:
        self.told["hand_started"] += 1
        assert len(hand.hole) == 2

    def hand_ended(self, hand: Hand, shown: Any, end: messages.HandEnd) -> None:
        self.net += end.net[hand.seats.index(self.match.seat)]

    def match_ended(self, end: messages.MatchEnd) -> None:
        self.told["match_ended"] += 1
        assert end.net[self.match.seat] == self.net


class Clocked(Bot):
    """Looks at its clock before each decision."""

    left: list[float]

    def act(self, turn: Turn) -> Action:
        self.left.append(turn.time_left(bank=False))
        return turn.call()


class Later(Told):
    """The same, in coroutines."""

    async def act(self, turn: Turn) -> Action:  # type: ignore[override]
        return super().act(turn)

    async def hand_started(self, hand: Hand) -> None:  # type: ignore[override]
        super().hand_started(hand)


@pytest.mark.parametrize("kind", [Told, Later])
@pytest.mark.parametrize("opponent", OPPONENTS)
def test_a_match(kind: type[Told], opponent: str) -> None:
    kind.made = []
    result = play([kind, opponent], hands=50, seed=3)
    [bot] = kind.made
    assert result.hands == bot.told["hand_started"] == 50
    assert bot.told["prepare"] == bot.told["match_ended"] == 1
    assert result.net == (bot.net, -bot.net)
    mean, half = result.mbb(0)
    assert mean == pytest.approx(1000 * bot.net / 100 / 50)
    assert half > 0
    assert play([kind, opponent], hands=50, seed=3) == result
    assert play([kind, opponent], hands=50, seed=4) != result


def test_who_calls_and_who_folds() -> None:
    """Against one who always folds, the other wins a blind each hand but those that are free."""
    assert play(["raise", "fold"], hands=100).net == (7500, -7500)
    assert sum(play(["call", "random", "fold", "raise", "random", "call"], hands=100).net) == 0


def test_a_thousand_hands_take_about_a_second() -> None:
    Told.made = []
    assert play([Told, "random"], hands=1000).hands == 1000


@pytest.mark.parametrize("game", ["kuhn.limit.2p", "leduc.limit.2p", "holdem.limit.2p.reverse_blinds"])
def test_any_game_for_so_many(game: str) -> None:
    assert play(["random", "random"], game=game, hands=30).hands == 30
    with pytest.raises(ValueError, match="2 players"):
        play(["random"] * 3, game=load_game(game))


class Greedy(Bot):
    """Raises more than it has."""

    def act(self, turn: Turn) -> Action:
        return raise_to(10**9)


def test_an_illegal_action_is_told_with_its_situation() -> None:
    with pytest.raises(IllegalAction) as refused:
        play([Greedy, "call"])
    [note] = refused.value.__notes__
    assert note.startswith("r1000000000 in hand=0 ")
    assert "hole=" in note


def test_what_bots_are_told_is_what_a_server_tells(monkeypatch: pytest.MonkeyPatch) -> None:
    compared: Counter[str] = Counter()

    def compare(event: Any, seat: int, seq: int, board: tuple[int, ...]) -> messages.ServerMessage:
        message = _message(event, seat, seq, board)
        assert message == view.event_message(event, "test", seq, seat, board)
        compared[type(message).__name__] += 1
        return message

    monkeypatch.setattr("pokerd_bot.testing._message", compare)
    for bots in (["random", "random"], ["random", "call", "raise"]):
        play([*bots[:-1], Told] if bots[-1] == "raise" else bots, hands=30)
    assert set(compared) == {"HandStart", "PlayerActed", "Board", "Showdown", "HandEnd"}


def test_a_bot_has_as_much_time_as_at_a_table() -> None:
    Clocked.left = []
    play([Clocked, "call"], hands=3)
    decide(Clocked, "hole=AhAd actions=r300")
    assert len(Clocked.left) > 3
    assert all(0 < left < 60 for left in Clocked.left)
