"""What mypy must know of ``from pokerd_bot import ...``: checked by ``make check``, never run.

Where a line is wrong on purpose, an ignore stands behind it; mypy complains about one that is not needed.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import assert_type

from clients.strategy_bot import strategy_bot
from pokerd_bot import Action, Bot, Hand, Match, PlayerState, Pot, Turn, equity, hand_rank, messages, run
from pokerd_bot.testing import Result, decide, play


class Typed(Bot):
    """Looks at everything that a bot is given."""

    def __init__(self, match: Match, nerve: float = 0.5) -> None:
        super().__init__(match)
        self.nerve = nerve
        assert_type(self.match, Match)
        assert_type(match.table, str)
        assert_type(match.seat, int)
        assert_type(match.players, list[str])
        assert_type(match.rng, Random)
        assert_type(match.info, messages.MatchStart)
        assert_type(match.info.game.blinds, list[int])

    def act(self, turn: Turn) -> Action:
        assert_type(turn.match, Match)
        assert_type(turn.hand, Hand)
        assert_type(turn.message, messages.YourTurn)
        assert_type(turn.can_fold, bool)
        assert_type(turn.to_call, int)
        assert_type(turn.pot, int)
        assert_type(turn.min_raise, int | None)
        assert_type(turn.max_raise, int | None)
        assert_type(turn.fold(), Action)
        assert_type(turn.call(), Action)
        assert_type(turn.check_or_fold(), Action)
        assert_type(turn.raise_min(), Action)
        assert_type(turn.raise_pot(0.75), Action)
        assert_type(turn.all_in(), Action)
        assert_type(turn.legal_actions(), tuple[Action, ...])
        assert_type(turn.time_left(), float)
        assert_type(turn.pot_odds, float)
        assert_type((turn.position, turn.text()), tuple[str, str])
        if turn.min_raise is not None:
            return turn.raise_to(turn.min_raise)
        turn.raise_to(turn.max_raise)  # type: ignore[arg-type]  # there may be none
        turn.raise_to(1.5)  # type: ignore[arg-type]  # chips are whole
        return turn.call()

    def hand_started(self, hand: Hand) -> None:
        assert_type(hand.number, int)
        assert_type(hand.seats, tuple[int, ...])
        assert_type(hand.hole, tuple[str, ...])
        assert_type(hand.board, list[str])
        assert_type(hand.street, int)
        assert_type(hand.street_name, str)
        assert_type(hand.players, tuple[PlayerState, ...])
        assert_type(hand.me.stack, float | int)
        assert_type(hand.pots, tuple[Pot, ...])
        assert_type(equity(hand.hole, hand.board), float)
        assert_type(hand_rank("AhKhQhJhTh"), int)
        assert_type(hand.start.stacks, tuple[float | int, ...])
        assert_type(hand.actions, list[tuple[int, messages.PlayerActed]])

    def board_dealt(self, hand: Hand, board: messages.Board) -> None:
        assert_type(board.cards, tuple[str, ...])

    def acted(self, hand: Hand, action: messages.PlayerActed) -> None:
        assert_type(action.action, str)
        assert_type((action.seat, action.to, action.paid), tuple[int, int, int])
        assert_type(action.all_in, bool)

    def hand_ended(self, hand: Hand, shown: messages.Showdown | None, end: messages.HandEnd) -> None:
        assert_type(end.net, tuple[float | int, ...])
        if shown is not None:
            assert_type(shown.hands, list[messages.ShownHand])

    def refused(self, turn: Turn, error: messages.Error) -> Action:
        assert_type(error.code, str)
        return turn.call()


class Awaited(Bot):
    """An asynchronous bot."""

    async def prepare(self) -> None:
        """Load something."""

    async def act(self, turn: Turn) -> Action:
        return turn.call()

    async def match_ended(self, end: messages.MatchEnd) -> None:
        assert_type(end.net, list[float | int])


class Wrong(Bot):
    """Answers with a word, where an action is asked for."""

    def act(self, turn: Turn) -> str:  # type: ignore[override]
        return "call"


def boldly(match: Match) -> Bot:
    """A factory that is no class."""
    return Typed(match, nerve=0.9)


def runs() -> None:
    """All the ways to start one."""
    assert_type(run(Typed), int)
    assert_type(run(boldly), int)
    assert_type(run(lambda match: Typed(match, 0.1)), int)
    assert_type(strategy_bot("fair"), Callable[[Match], Bot])
    assert_type(run(strategy_bot("fair"), label="fair", arguments=["--json"]), int)
    run(Typed, url="ws://127.0.0.1:8000", token="t", name="n", tables=4, join="table-1", json=True)
    run(Typed, "ws://127.0.0.1:8000")  # type: ignore[call-arg]  # settings have names
    assert_type(run(Awaited, trace="frames.jsonl", log_level="debug"), int)
    assert_type(play([Typed, "call"], hands=10), Result)
    assert_type(decide(Awaited, "hole=AhAd"), Action)
    run("fair")  # type: ignore[arg-type]
    run(Typed, tables="4")  # type: ignore[arg-type]
    run(Action)  # type: ignore[arg-type]
