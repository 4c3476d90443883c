"""Observations read back: what a learner's row of numbers says, and what the rules say."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from dealer.rules.games import Game
from dealer.rules.hand import HandState
from strategy.batch.observation import fields

KINDS = ("fold", "call", "raise")


def read_back(seen: NDArray[Any], game: Game, history: int) -> dict[str, Any]:
    """Turn a row of numbers into what it says, amounts in chips."""
    parts = {
        field.name: seen[field.start : field.start + field.size].tolist()
        for field in fields(game.players, history)
    }

    def ones(values: list[float]) -> list[int]:
        assert set(values) <= {0.0, 1.0}
        return [place for place, value in enumerate(values) if value]

    def one(values: list[float]) -> int | None:
        (*found,) = ones(values)
        assert len(found) <= 1
        return found[0] if found else None

    def chips(values: list[float]) -> list[int]:
        return [round(value * game.min_bet) for value in values]

    size = len(parts["history"]) // history
    entries = [parts["history"][start : start + size] for start in range(0, len(parts["history"]), size)]
    steps: list[tuple[Any, ...] | None] = []
    for entry in entries:
        if any(entry):
            n = game.players
            kind = one(entry[4 + n : 7 + n])
            assert kind is not None
            steps.append((one(entry[:4]), one(entry[4 : 4 + n]), KINDS[kind], *chips(entry[7 + n :])))
        else:
            steps.append(None)
    used = [step for step in steps if step is not None]
    assert steps[: len(used)] == used
    return {
        **{name: ones(parts[name]) for name in ("own", "flop", "turn", "river", "folded", "all_in")},
        **{name: one(parts[name]) for name in ("street", "position", "to_act")},
        **{name: chips(parts[name])[0] for name in ("pot", "price", "min_raise", "max_raise", "bet")},
        **{name: chips(parts[name]) for name in ("stacks", "bets", "paid")},
        "history": used,
        "cut": int(parts["cut"][0]),
    }


def public(hand: HandState, position: int, history: int) -> dict[str, Any]:
    """The same from the rules, as the player in ``position`` sees it."""
    state, board = hand.betting, hand.board
    steps = []
    replayed = type(state)(state.game, state.stacks)
    for street, actor, action in state.history:
        start = replayed.street_start
        replayed.act(action)
        to = 0 if action.kind == "fold" else replayed.spent[actor] - start
        steps.append((street, actor, action.kind, to))
    own = not hand.over and state.to_act == position
    legal = state.legal()
    stacks = [stack - spent for stack, spent in zip(state.stacks, state.spent, strict=True)]
    shown = [board[:3], board[3:4], board[4:5]] if state.street else [(), (), ()]
    return {
        "own": sorted(hand.hole[position]),
        **{name: sorted(cards) for name, cards in zip(("flop", "turn", "river"), shown, strict=True)},
        "folded": [at for at, folded in enumerate(state.folded) if folded],
        "all_in": [at for at, left in enumerate(stacks) if not left and not state.folded[at]],
        "street": state.street,
        "position": position,
        "to_act": None if hand.over else state.to_act,
        "pot": state.pot,
        "price": legal.call if own else 0,
        "min_raise": (legal.min_raise or 0) if own else 0,
        "max_raise": (legal.max_raise or 0) if own else 0,
        "bet": state.bet - state.street_start,
        "stacks": stacks,
        "bets": [state.street_bet(at) for at in range(state.game.players)],
        "paid": list(state.spent),
        "history": steps[-history:],
        "cut": max(0, len(steps) - history),
    }
