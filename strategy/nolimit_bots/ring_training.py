"""Train the strategy for three to ten players: ``python -m strategy.nolimit_bots.ring_training``.

External-sampling Monte Carlo CFR (Lanctot et al. 2009) with imperfect recall (``ring.key_of``): in each deal
one player tries every action, and the others draw theirs. Players, stacks and cards are random; late deals
count more (Brown and Sandholm 2019). First the players learn what to do before the flop, with rules of thumb
for the rest of the hand; then what to do after it. Some of the others play badly, so that the strategy wins
more from those who do (Johanson, Zinkevich and Bowling 2007): they never fold, or act at random.

One thread does it all: the result follows from the seed and the numbers of deals.
"""

from __future__ import annotations

import argparse
from hashlib import sha256
from importlib.metadata import version
from math import comb
from typing import Final

import numpy as np
from numpy.typing import NDArray

from strategy.jit import vector_jit
from strategy.nolimit.holdem import STATES
from strategy.nolimit.sampling import draw
from strategy.nolimit_bots.policy import load_cards
from strategy.nolimit_bots.ring import (
    ACTIONS,
    ACTOR,
    BET,
    BIG,
    LATE_AT,
    LATE_STATES,
    LEADER,
    NONE,
    OUT,
    PAID,
    RAISER,
    RING_FILE,
    ROWS,
    STACK,
    STEP,
    STREET,
    WAITS,
    act,
    find_moves,
    key_of,
    pack_ring,
    row_of,
)
from strategy.packed_files import write_packed
from strategy.poker.combos import CLASSES, HANDS
from strategy.poker.kernels import (
    HAND_KEYS,
    HAND_MASKS,
    TABLE,
    Ints,
    Ranks,
    State,
    below,
    keys_of,
    pot_share,
    rank_of,
    rng,
    uniform,
)

PERIOD: Final = 200_000
"""Deals after which the past is discounted."""
_BOARDS: Final = 2_000
_BIG = 100
_SIX = 0.3
"""Share of the deals that have six players whatever is drawn."""
_USUAL = 0.3
"""Share of the deals with 100 big blinds each; in as many stacks are unequal."""
_ODD = 0.15
"""Share of the others who play badly; half of them never fold, and raise with ``_BOLD``."""
_BOLD = 0.15
_PRUNE = -300.0
"""A raise with a lower regret, in big blinds, is mostly not tried (``_LEFT_OUT``)."""
_LEFT_OUT = 0.9
_BET = 0.6
_FIRST, _LAST, _CALLED = 0.65, 0.5, 0.68
"""The rules of thumb after the flop: a bet in pots, and how good a hand must be to bet first or last, or to
call.
"""
_RARE: Final = 0.04
"""What is rarer is left out: mostly it is what the first deals tried."""
_LEAST: Final = 30.0
"""What a row must count to be known."""
_TURNS = 64
"""Maximum number of a player's decisions on a path."""

Floats = NDArray[np.float32]


def make_boards(seed: int, count: int) -> tuple[Ints, NDArray[np.uint8]]:
    """Return keys and masks of random boards, int64[n, 2], and the card states of all hands on flop, turn and
    river, uint8[n, 3, 1326].
    """
    cards, random = load_cards(), np.random.default_rng([seed, 1])
    keys, states = np.empty((count, 2), np.int64), np.zeros((count, 3, HANDS), np.uint8)
    for place in range(count):
        board = tuple(random.choice(52, 5, replace=False).tolist())
        keys[place] = keys_of(board)
        for street in range(3):
            states[place, street] = np.maximum(cards.all_states(board[: 3 + street]), 0)
    return keys, states


@vector_jit
def _match(regrets: Floats, slot: int, to: Ints, chances: NDArray[np.float64]) -> None:
    total, count = 0.0, 0
    for action in range(ACTIONS):
        chances[action] = 0.0
        if to[action] != NONE:
            count += 1
            chances[action] = max(0.0, regrets[slot + action])
            total += chances[action]
    for action in range(ACTIONS):
        if to[action] != NONE:
            chances[action] = chances[action] / total if total > 0 else 1.0 / count


@vector_jit
def _log_uniform(random: State, low: float, high: float) -> int:
    return int(low * (high / low) ** uniform(random) * _BIG)


@vector_jit
def _start(random: State, seats: Ints, now: Ints) -> None:
    """Write a table of players before their first action."""
    seats[:], now[:] = 0, 0
    players = seats.shape[1]
    kind = uniform(random)
    same = 100 * _BIG if kind < _USUAL else _log_uniform(random, 4.0, 250.0)
    for place in range(players):
        stack = same if kind < 1 - _USUAL else _log_uniform(random, 4.0, 250.0)
        blind = min(stack, _BIG // 2 if place == 0 else _BIG if place == 1 else 0)
        seats[STACK, place] = stack - blind
        seats[BET, place] = seats[PAID, place] = blind
        seats[WAITS, place] = 1
    now[ACTOR], now[STEP], now[BIG] = 2, _BIG, _BIG
    now[RAISER] = now[LEADER] = -1


@vector_jit
def _play_out(seats: Ints, now: Ints, places: NDArray[np.float64]) -> None:  # noqa: C901
    """Bet the streets after the flop by rules of thumb. ``places`` float64[players, 3]: how many of all hands
    each hand beats on each street.

    The first with a good hand for so many opponents bets, the last to act with a fair one, too; others call
    with good ones.
    """
    players = seats.shape[1]
    for street in range(3):
        live = able = 0
        for place in range(players):
            live += not seats[OUT, place]
            able += not seats[OUT, place] and seats[STACK, place] > 0
        if live < 2 or able < 2:
            return
        bet, left = 0, able
        for turn in range(2 * players):
            place = turn % players
            if seats[OUT, place] or (bet > 0 and now[RAISER] == place):
                if bet > 0 and now[RAISER] == place:
                    break
                continue
            if bet == 0:
                if turn >= players:
                    break
                if seats[STACK, place] > 0:
                    left -= 1
                    good = _FIRST if left else _LAST
                    if places[place, street] ** (live - 1) > good:
                        bet = int(_BET * seats[PAID].sum())
                        now[RAISER] = place
                        _pay(seats, place, bet)
            elif seats[STACK, place] > 0:
                if places[place, street] > _CALLED:
                    _pay(seats, place, bet)
                else:
                    seats[OUT, place] = 1


@vector_jit
def _pay(seats: Ints, place: int, chips: int) -> None:
    paid = min(chips, seats[STACK, place])
    seats[STACK, place] -= paid
    seats[PAID, place] += paid


# One long function, as in ``strategy.nolimit.sampling``.
@vector_jit
def run(  # noqa: C901, PLR0912, PLR0915
    random: State,
    deals: int,
    table: Ranks,
    boards: Ints,
    states: NDArray[np.uint8],
    classes: Ints,
    ranking: NDArray[np.float64],
    regrets: Floats,
    sums: Floats,
    late: bool,
) -> int:
    """Learn from so many deals; return the decisions visited. ``ranking`` float64[3, STATES]: how many hands
    are below each card state. ``late``: learn what to do after the flop, where ``sums`` are played before it;
    else what to do before it, with rules of thumb afterwards.
    """
    visits = 0
    chances, values = np.empty((2, _TURNS, ACTIONS))
    moves = np.empty((_TURNS, ACTIONS), np.int64)
    frame = np.empty((_TURNS, 2), np.int64)
    stored, known = np.empty((_TURNS, 6, 10), np.int64), np.empty((_TURNS, 8), np.int64)
    other, to = np.empty(ACTIONS), np.empty(ACTIONS, np.int64)
    now = np.empty(8, np.int64)
    whole = np.empty((6, 10), np.int64)
    hands, ranks, odd = np.empty(10, np.int64), np.empty(10, np.int64), np.empty(10, np.int64)
    card, above = np.empty((10, 4), np.int64), np.empty((10, 3))
    for _ in range(deals):
        players = 3 + below(random, 8)
        if uniform(random) < _SIX:
            players = 6
        board = below(random, len(boards))
        key, mask = boards[board]
        used = mask
        for place in range(players):
            while True:
                hand = below(random, HANDS)
                if not HAND_MASKS[hand] & used:
                    break
            used |= HAND_MASKS[hand]
            hands[place] = hand
            ranks[place] = rank_of(table, key + HAND_KEYS[hand], mask | HAND_MASKS[hand])
            card[place, 0] = classes[hand]
            for street in range(3):
                card[place, street + 1] = states[board, street, hand]
                above[place, street] = ranking[street, states[board, street, hand]]
            at = uniform(random)
            odd[place] = 0 if at >= _ODD else 1 if at < _ODD / 2 else 2
        me = below(random, players)
        seats = whole[:, :players]
        _start(random, seats, now)
        depth, going = 0, True
        if late:
            me = -1
        while True:
            while going and (late or now[STREET] == 0):
                if me < 0 and now[STREET] > 0:
                    me = below(random, players)
                    while seats[OUT, me] or seats[STACK, me] == 0:
                        me = below(random, players)
                actor = now[ACTOR]
                count = find_moves(seats, now, to)
                if count == 1:
                    going = act(seats, now, 0)
                    continue
                visits += 1
                slot = ACTIONS * row_of(key_of(seats, now), card[actor, now[STREET]])
                if actor == me:
                    moves[depth] = to
                    if uniform(random) < _LEFT_OUT:
                        for one in range(2, ACTIONS):
                            if regrets[slot + one] < _PRUNE:
                                moves[depth, one] = NONE
                    _match(regrets, slot, moves[depth], chances[depth])
                    first = 0 if to[0] != NONE else 1
                    frame[depth, 0], frame[depth, 1] = slot, first
                    stored[depth, :, :players], known[depth] = seats, now
                    depth += 1
                    going = act(seats, now, to[first])
                    continue
                if odd[actor] == 1:
                    action = 1
                    if to[3] != NONE and uniform(random) < _BOLD:
                        action = 3
                elif odd[actor] == 2:
                    action = below(random, ACTIONS)
                    if to[action] == NONE:
                        action = 1
                elif late and now[STREET] == 0:
                    _match(sums, slot, to, other)
                    action = draw(random, other, ACTIONS)
                else:
                    _match(regrets, slot, to, other)
                    for one in range(ACTIONS):
                        if other[one] > 0:
                            sums[slot + one] += other[one]
                    action = draw(random, other, ACTIONS)
                going = act(seats, now, to[action])
            if me < 0:
                break
            if going:
                _play_out(seats, now, above)
            won = 0.0 if seats[OUT, me] else pot_share(seats[PAID], seats[OUT], ranks, me)
            value = (won - seats[PAID, me]) / _BIG
            resumed = False
            while depth and not resumed:
                turn = depth - 1
                slot, action = frame[turn]
                values[turn, action] = value
                action += 1
                while action < ACTIONS and moves[turn, action] == NONE:
                    action += 1
                if action < ACTIONS:
                    frame[turn, 1] = action
                    seats[:], now[:] = stored[turn, :, :players], known[turn]
                    going = act(seats, now, moves[turn, action])
                    resumed = True
                    continue
                value = 0.0
                for each in range(ACTIONS):
                    if moves[turn, each] != NONE:
                        value += chances[turn, each] * values[turn, each]
                for each in range(ACTIONS):
                    if moves[turn, each] != NONE:
                        regrets[slot + each] += values[turn, each] - value
                depth = turn
            if not resumed:
                break
    return visits


def train(early: int, late: int, seed: int = 0) -> Floats:
    """Return what each action counts, float32[ROWS, ACTIONS]: before the flop after so many periods, and
    later after so many more.
    """
    boards, states = make_boards(seed, _BOARDS)
    counts = np.array([np.bincount(states[:, street].ravel(), minlength=STATES) for street in range(3)])
    # What the boards block stands in state 0.
    counts[:, 0] -= [len(boards) * (HANDS - comb(49 - street, 2)) for street in range(3)]
    ranking = np.array([(np.cumsum(count) - count / 2) / count.sum() for count in counts])
    regrets, sums = np.zeros((2, ROWS * ACTIONS), np.float32)
    random, classes = rng("ring", seed), CLASSES.astype(np.int64)
    for part, periods in (slice(0, LATE_AT * ACTIONS), early), (slice(LATE_AT * ACTIONS, None), late):
        for period in range(1, periods + 1):
            run(random, PERIOD, TABLE, boards, states, classes, ranking, regrets, sums, part.start > 0)
            regrets[part] *= np.float32(period / (period + 1))
            sums[part] *= np.float32((period / (period + 1)) ** 2)
    return sums.reshape(ROWS, ACTIONS)


def average(sums: Floats, least: float) -> Floats:
    """Return the average strategy, float32[ROWS, ACTIONS]. After the flop, rows that count less than
    ``least`` are those of neighbouring card states too; where not even these suffice all is 0.
    """
    found = sums.astype(np.float64)
    late = found[LATE_AT:].reshape(-1, LATE_STATES, ACTIONS)
    ends = np.pad(late.cumsum(axis=1), ((0, 0), (1, 0), (0, 0)))
    place = np.arange(LATE_STATES)
    for width in range(1, 9):
        few = late.sum(axis=2) < least
        near = ends[:, np.minimum(LATE_STATES, place + width + 1)] - ends[:, np.maximum(0, place - width)]
        late[few] = near[few]
    total = found.sum(axis=1, keepdims=True)
    found = np.where(total >= least, found / np.maximum(total, 1e-9), 0)
    found[found < _RARE] = 0
    result: Floats = (found / np.maximum(found.sum(axis=1, keepdims=True), 1e-9)).astype(np.float32)
    return result


def write(sums: Floats, early: int, late: int, seed: int) -> None:
    """Write ``RING_FILE`` with the result of ``train``. Raises OSError."""
    count, data = pack_ring(average(sums, _LEAST))
    facts = {
        "what": "average strategy of external-sampling MCCFR for no-limit hold'em, 3 to 10 players",
        "command": "python -m strategy.nolimit_bots.ring_training "
        f"--early {early} --late {late} --seed {seed}",
        "program": version("pokerd"),
        "keys": count,
        "bytes": len(data),
        "sha256": sha256(data).hexdigest(),
    }
    write_packed(RING_FILE, facts, data)


def main() -> None:
    """Train and write."""
    parser = argparse.ArgumentParser(description="Train nolimit for tables of three to ten players.")
    parser.add_argument(
        "--early", type=int, required=True, help=f"periods before the flop, of {PERIOD:,} deals"
    )
    parser.add_argument("--late", type=int, required=True, help="and after it")
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    write(train(asked.early, asked.late, asked.seed), asked.early, asked.late, asked.seed)


if __name__ == "__main__":
    main()
