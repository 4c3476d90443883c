"""Hands per CPU second of our rules and of four others, side by side in one run.

    python -m benchmarks.rules [--seconds 1.0] [--rounds 3]

One hand is: cards from a deck, blinds, every decision, the engine's resulting events or states, the showdown
and the payout. ``call``: everybody checks and calls to the showdown, the same work for all (8 or 24 decisions
a hand). ``random``: a decision is drawn uniformly from the legal ones of fold, call and the smallest raise.
``call`` play does not query the legal actions; ``random`` play does. The engines take turns, and each is
credited with its best turn, because any disturbance makes a measurement slower. Missing engines are reported
as not installed.
"""

from __future__ import annotations

import argparse
import importlib.util
import time
import warnings
from collections.abc import Callable
from functools import partial
from random import Random
from typing import Any, NamedTuple

from dealer.deck import acpc_deals
from dealer.rules.actions import CALL, FOLD, raise_to
from dealer.rules.games import load_game
from dealer.rules.hand import HandState

LIMIT = "heads-up limit"
NO_LIMIT = "six-max no-limit"
GAMES = {LIMIT: "holdem.limit.2p.reverse_blinds", NO_LIMIT: "holdem.nolimit.6p"}
STACK, BIG_BLIND, SMALL_BLIND = 20000, 100, 50

PlayHands = Callable[[int], None]
"""Plays that many hands."""


class EngineSpeed(NamedTuple):
    """One engine's figure: hands per CPU second, None if it is missing or does not play the game."""

    engine: str
    game: str
    play: str
    hands_per_second: float | None


def ours(game: str, play: str) -> PlayHands:
    """Play with pokerd: deck, events, showdown and all."""
    definition = load_game(GAMES[game])
    deals = acpc_deals(1, definition)
    rng = Random(1)
    dealt = 0

    def play_hands(hands: int) -> None:
        nonlocal dealt
        for number in range(dealt, dealt + hands):
            hand = HandState(definition, deals.deal(number), number=number)
            while not hand.over:
                if play == "call":
                    hand.act(CALL)
                    continue
                legal = hand.legal()
                actions = [FOLD, CALL] if legal.fold else [CALL]
                if legal.min_raise is not None:
                    actions.append(raise_to(legal.min_raise))
                hand.act(actions[int(rng.random() * len(actions))])
        dealt += hands

    return play_hands


def batch(game: str, play: str) -> PlayHands:
    """Play with pokerd's compiled batch: cards, every decision and the payout, without events."""
    import numpy as np

    from strategy.batch.betting import CALL as CALLS
    from strategy.batch.hands import Tables

    definition = load_game(GAMES[game])
    size = 512
    tables = Tables(definition, size, "benchmark")
    rng = np.random.default_rng(1)
    calls, nothing = np.full(size, CALLS, np.int8), np.zeros(size, np.int64)

    def play_hands(hands: int) -> None:
        """Play that many hands, at least one at each table."""
        for _ in range(0, hands, size):
            tables.deal()
            while not tables.over.all():
                if play == "call":
                    tables.act(calls, nothing)
                    continue
                fold, _, least, _ = tables.legal().T
                choices = (rng.random(size) * (1 + fold + (least > 0))).astype(np.int64) + (1 - fold)
                tables.act(choices.astype(np.int8), least)

    return play_hands


def universal_poker(game: str) -> Any:
    """Return a game of OpenSpiel's: the ACPC's C++ rules behind a Python interface."""
    import pyspiel

    deck = "numSuits=4,numRanks=13,numHoleCards=2,numBoardCards=0 3 1 1,numRounds=4"
    if game == LIMIT:
        settings = (
            "betting=limit,numPlayers=2,blind=10 5,raiseSize=10 10 20 20,firstPlayer=2 1 1 1,"
            f"maxRaises=3 4 4 4,stack=1000 1000,{deck}"
        )
    else:
        settings = (
            "betting=nolimit,bettingAbstraction=fcpa,numPlayers=6,blind=50 100 0 0 0 0,firstPlayer=3 1 1 1,"
            f"stack=20000 20000 20000 20000 20000 20000,{deck}"
        )
    return pyspiel.load_game(f"universal_poker({settings})")


def open_spiel(game: str, play: str) -> PlayHands:
    """Play with OpenSpiel's universal_poker."""
    definition, rng = universal_poker(game), Random(1)
    fold, call = 0, 1

    def play_hands(hands: int) -> None:
        for _ in range(hands):
            state = definition.new_initial_state()
            while not state.is_terminal():
                if state.is_chance_node():
                    cards = state.legal_actions()
                    state.apply_action(cards[int(rng.random() * len(cards))])
                elif play == "call":
                    state.apply_action(call)
                else:
                    # Fold and call come first if legal, then the raises, smallest first.
                    legal = state.legal_actions()
                    choices = legal[: (legal[0] == fold) + 2]
                    state.apply_action(choices[int(rng.random() * len(choices))])
            state.returns()

    return play_hands


def rlcard(game: str, play: str) -> PlayHands:
    """Play RLCard's raw games. In its no-limit game the smallest raise is half the pot."""
    if game == LIMIT:
        from rlcard.games.limitholdem import Game as Limit

        return _rlcard_limit(Limit(num_players=2), play)
    from rlcard.games.nolimitholdem import Game as NoLimit

    return _rlcard_no_limit(NoLimit(num_players=6), play)


def _rlcard_limit(table: Any, play: str) -> PlayHands:
    rng = Random(1)

    def play_hands(hands: int) -> None:
        for _ in range(hands):
            table.init_game()
            while not table.is_over():
                legal = table.get_legal_actions()
                passive = "check" if "check" in legal else "call"
                if play == "call":
                    table.step(passive)
                    continue
                choices = [action for action in legal if action in ("raise", passive) or passive == "call"]
                table.step(choices[int(rng.random() * len(choices))])
            table.get_payoffs()

    return play_hands


def _rlcard_no_limit(table: Any, play: str) -> PlayHands:
    from rlcard.games.nolimitholdem.round import Action as Kind

    rng = Random(1)
    table.init_chips = [STACK // (BIG_BLIND // 2)] * 6  # its blinds are 1 and 2

    def play_hands(hands: int) -> None:
        for _ in range(hands):
            state, _ = table.init_game()
            while not table.is_over():
                if play == "call":
                    state, _ = table.step(Kind.CHECK_CALL)
                    continue
                legal = state["legal_actions"]
                choices = [Kind.CHECK_CALL]
                if max(table.round.raised) > table.round.raised[table.round.game_pointer]:
                    choices.append(Kind.FOLD)
                choices.extend(kind for kind in (Kind.RAISE_HALF_POT,) if kind in legal)
                state, _ = table.step(choices[int(rng.random() * len(choices))])
            table.get_payoffs()

    return play_hands


def texasholdem(game: str, play: str) -> PlayHands | None:
    """Play with texasholdem: no-limit only."""
    if game == LIMIT:
        return None
    from texasholdem import ActionType, TexasHoldEm

    rng = Random(1)
    table = TexasHoldEm(buyin=STACK, big_blind=BIG_BLIND, small_blind=SMALL_BLIND, max_players=6)
    passive = (ActionType.CALL, ActionType.CHECK)

    def play_hands(hands: int) -> None:
        for _ in range(hands):
            for player in table.players:
                player.chips = STACK
            table.start_hand()
            while table.is_hand_running():
                if play == "call":
                    table.take_action(passive[not table.chips_to_call(table.current_player)])
                    continue
                moves = table.get_available_moves()
                kinds = [
                    kind for kind in moves.action_types if kind != ActionType.FOLD or ActionType.CALL in moves
                ]
                kind = kinds[int(rng.random() * len(kinds))]
                table.take_action(kind, total=moves.raise_range[0] if kind == ActionType.RAISE else None)

    return play_hands


def pokerkit(game: str, play: str) -> PlayHands:
    """Play with PokerKit: everything automated but the decisions."""
    from pokerkit import Automation, FixedLimitTexasHoldem, NoLimitTexasHoldem, State

    everything = tuple(Automation)
    rng = Random(1)

    def start() -> State:
        if game == LIMIT:
            return FixedLimitTexasHoldem.create_state(everything, True, 0, (5, 10), 10, 20, 1000, 2)
        blinds = (SMALL_BLIND, BIG_BLIND)
        return NoLimitTexasHoldem.create_state(everything, True, 0, blinds, BIG_BLIND, STACK, 6)

    def play_hands(hands: int) -> None:
        for _ in range(hands):
            state = start()
            while state.status:
                if play == "call":
                    state.check_or_call()
                    continue
                choices: list[Callable[[], object]] = [state.check_or_call]
                if state.can_fold():
                    choices.append(state.fold)
                smallest = state.min_completion_betting_or_raising_to_amount
                if smallest is not None:
                    choices.append(partial(state.complete_bet_or_raise_to, smallest))
                choices[int(rng.random() * len(choices))]()

    return play_hands


ENGINES: dict[str, tuple[str, Callable[[str, str], PlayHands | None]]] = {
    "pokerd": ("dealer", ours),
    "batch": ("numba", batch),
    "open_spiel": ("pyspiel", open_spiel),
    "rlcard": ("rlcard", rlcard),
    "texasholdem": ("texasholdem", texasholdem),
    "pokerkit": ("pokerkit", pokerkit),
}
"""Name, module and maker of each engine."""

PEERS_IN_PYTHON = ("rlcard", "texasholdem", "pokerkit")


def measure(seconds: float, rounds: int) -> list[EngineSpeed]:
    """Let the engines play by turns, ``rounds`` turns each of about ``seconds`` CPU seconds, for every game
    and play.
    """
    lanes = []
    for game in (LIMIT, NO_LIMIT):
        for play in ("call", "random"):
            players = {
                name: make(game, play) if importlib.util.find_spec(module) else None
                for name, (module, make) in ENGINES.items()
            }
            best: dict[str, float] = {}
            for _ in range(rounds):
                for name, player in players.items():
                    if player is not None:
                        best[name] = max(best.get(name, 0.0), _turn(player, seconds))
            lanes += [EngineSpeed(name, game, play, best.get(name)) for name in ENGINES]
    return lanes


def _turn(player: PlayHands, seconds: float) -> float:
    hands = 0
    chunk = 8
    start = time.process_time()
    while True:
        player(chunk)
        hands += chunk
        spent = time.process_time() - start
        if spent >= seconds:
            return hands / spent
        chunk = min(chunk * 2, 512)


def table(lanes: list[EngineSpeed]) -> str:
    """Return the figures as a table, each with pokerd's speed relative to it."""
    columns = list(dict.fromkeys((lane.game, lane.play) for lane in lanes))
    figures = {(lane.engine, lane.game, lane.play): lane.hands_per_second for lane in lanes}
    lines = ["hands per CPU-second (we are so many times as fast)"]
    lines.append(f"{'engine':<12}" + "".join(f"{f'{game}, {play}':>28}" for game, play in columns))
    for engine in ENGINES:
        cells = []
        for game, play in columns:
            figure, our = figures[engine, game, play], figures["pokerd", game, play]
            ratio = f" ({our / figure:.2f})" if figure and our else ""
            missing = "-" if importlib.util.find_spec(ENGINES[engine][0]) else "missing"
            cells.append(f"{figure:,.0f}{ratio}" if figure else missing)
        lines.append(f"{engine:<12}" + "".join(f"{cell:>28}" for cell in cells))
    for game, play in columns:
        peers = [figures[engine, game, play] or 0.0 for engine in PEERS_IN_PYTHON]
        our = figures["pokerd", game, play]
        if our and max(peers):
            lines.append(f"{game}, {play}: {our / max(peers):.1f} times the fastest peer in Python")
    return "\n".join(lines)


def main() -> None:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(description="Hands per CPU-second, ours beside four other engines.")
    parser.add_argument("--seconds", type=float, default=1.0, help="CPU-seconds of one turn")
    parser.add_argument("--rounds", type=int, default=3, help="turns per engine")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    print(table(measure(options.seconds, options.rounds)))


if __name__ == "__main__":
    main()
