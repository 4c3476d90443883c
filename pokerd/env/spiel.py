"""The rules of ``dealer.rules`` as a game of OpenSpiel, which has to be installed: ``open_spiel``.

Importing this module registers ``pokerd``; ``pyspiel.load_game("pokerd(game=holdem.limit.2p)")`` makes one.
``game`` is the name or the file of a hold'em game. Actions are those of ``universal_poker``: 0 folds, 1
checks or calls; in limit games 2 raises, in no-limit games every other number is a raise to so many chips in
the hand. Where it plays the same game the two are equal, tensors aside. ``HouseBot`` plays it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from random import Random
from typing import Any

import numpy as np
import pyspiel

from dealer.rules.actions import CALL, FOLD, Action, raise_to
from dealer.rules.betting import Betting
from dealer.rules.cards import cards_text
from dealer.rules.evaluation import rank_hand
from dealer.rules.games import Game, load_game
from dealer.rules.hand import HandState
from dealer.rules.pots import FOLDED, settle
from pokerd.env.errors import BadPlayer
from pokerd.env.house import opponent
from pokerd.env.tables import DEFAULT_GAME
from strategy.batch.observation import HISTORY, observation_size
from strategy.batch.view import Viewer
from strategy.checks import UnplayableGame, require_holdem
from strategy.registry import Strategy
from strategy.situation import past_actions
from studies.harness.session import EventForwarder

_FOLD, _CALL, _RAISE = 0, 1, 2

_TYPE = pyspiel.GameType(
    short_name="pokerd",
    long_name="Poker by the rules of pokerd",
    dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
    chance_mode=pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
    information=pyspiel.GameType.Information.IMPERFECT_INFORMATION,
    utility=pyspiel.GameType.Utility.ZERO_SUM,
    reward_model=pyspiel.GameType.RewardModel.TERMINAL,
    max_num_players=10,
    min_num_players=2,
    provides_information_state_string=True,
    provides_information_state_tensor=True,
    provides_observation_string=True,
    provides_observation_tensor=True,
    parameter_specification={"game": DEFAULT_GAME, "history": HISTORY},
)


class SpielGame(pyspiel.Game):
    """A game for OpenSpiel. ``history``: the actions that a tensor holds.

    Raises GameError, UnplayableGame and BadHistory.
    """

    def __init__(self, params: dict[str, Any] | None = None) -> None:
        given = params or {}
        self.definition = load_game(str(given.get("game", DEFAULT_GAME)))
        require_holdem("pokerd.env", self.definition)
        self.history = int(given.get("history", HISTORY))
        observation_size(self.definition, self.history)
        game, most = self.definition, max(self.definition.stacks)
        # Everybody answers each raise once; a raise is of the smallest bet or more, or all-in.
        raises = min(max(game.max_raises), most // game.min_bet + game.players)
        info = pyspiel.GameInfo(
            num_distinct_actions=_RAISE + 1 if game.limit else max(most + 1, _RAISE + 1),
            max_chance_outcomes=len(game.deck),
            num_players=game.players,
            min_utility=-float(most),
            max_utility=float(most * (game.players - 1)),
            utility_sum=0.0,
            max_game_length=game.rounds * game.players * (raises + 1),
        )
        super().__init__(_TYPE, info, given)

    def new_initial_state(self) -> SpielState:
        """Return a hand before the first card."""
        return SpielState(self)

    def make_py_observer(
        self, iig_obs_type: Any = None, params: dict[str, Any] | None = None
    ) -> SpielObserver:
        """Return what makes tensors and texts for one player."""
        return SpielObserver(self)


class SpielState(pyspiel.State):
    """A hand: chance deals hole cards, position after position, and then the board, card by card."""

    def __init__(self, game: SpielGame) -> None:
        super().__init__(game)
        self._bets = _Bets(Betting(game.definition))
        self.cards: list[int] = []

    @property
    def betting(self) -> Betting:
        """Return the chips and turns."""
        return self._bets.betting

    @property
    def hole(self) -> tuple[tuple[int, ...], ...]:
        """Return the hole cards by position."""
        game = self.betting.game
        count = game.hole_cards
        return tuple(tuple(self.cards[count * at : count * (at + 1)]) for at in range(game.players))

    @property
    def board(self) -> tuple[int, ...]:
        """Return the board as far as it is dealt."""
        return tuple(self.cards[self.betting.game.players * self.betting.game.hole_cards :])

    def current_player(self) -> int:
        """Return the position to act, or who else is next."""
        if len(self.cards) < self._cards_due():
            return int(pyspiel.PlayerId.CHANCE)
        return int(pyspiel.PlayerId.TERMINAL) if self.betting.over else self.betting.to_act

    def is_terminal(self) -> bool:
        """Return whether the hand is over."""
        return self.current_player() == int(pyspiel.PlayerId.TERMINAL)

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Return the cards that can come next, each with its chance."""
        left = sorted(set(self.betting.game.deck) - set(self.cards))
        return [(card, 1 / len(left)) for card in left]

    def returns(self) -> list[float]:
        """Return what each position won or lost, in chips; 0 before the end."""
        betting = self.betting
        if not self.is_terminal():
            return [0.0] * betting.game.players
        alone = betting.live == 1
        ranks = [
            FOLDED if folded else 0 if alone else rank_hand(cards + self.board)
            for cards, folded in zip(self.hole, betting.folded, strict=True)
        ]
        paid = settle(betting.spent, ranks, fractions=betting.game.rules == "acpc")
        return [float(value) for value in paid.values]

    def _cards_due(self) -> int:
        betting, game = self.betting, self.betting.game
        if betting.over and betting.live == 1:
            return len(self.cards)
        return game.players * game.hole_cards + sum(game.board_cards[: betting.street + 1])

    def _legal_actions(self, player: int) -> list[int]:
        fold, _, low, high = self.betting.legal()
        actions = [_FOLD, _CALL] if fold else [_CALL]
        if low is None or high is None:
            return actions
        if self.betting.game.limit:
            return [*actions, _RAISE]
        start = self.betting.street_start
        return [*actions, *range(start + low, start + high + 1)]

    def _apply_action(self, action: int) -> None:
        if self.is_chance_node():
            self.cards.append(action)
        else:
            self.betting.act(self._action(action))

    def _action(self, action: int) -> Action:
        if action == _FOLD:
            return FOLD
        if action == _CALL:
            return CALL
        return raise_to(0 if self.betting.game.limit else action - self.betting.street_start)

    def _action_to_string(self, player: int, action: int) -> str:
        if player == int(pyspiel.PlayerId.CHANCE):
            return cards_text((action,))
        return ("fold", "call")[action] if action in (_FOLD, _CALL) else f"raise to {action}"

    def __str__(self) -> str:
        """Return cards and actions."""
        holes = "|".join(map(cards_text, self.hole))
        return f"{holes} {cards_text(self.board)} {_actions_text(self.betting)}"


class SpielObserver:
    """What a player of a ``SpielState`` sees: ``strategy.batch.observation``, all 0 while chance deals."""

    def __init__(self, game: SpielGame) -> None:
        self._viewer = Viewer(game.definition, history=game.history)
        self.tensor = np.zeros(self._viewer.length, np.float32)
        self.dict = {"observation": self.tensor}

    def set_from(self, state: SpielState, player: int) -> None:
        """Write what the player sees into ``tensor``."""
        if state.is_chance_node():
            self.tensor.fill(0)
            return
        betting, seats = state.betting, range(state.betting.game.players)
        board = state.board[: sum(betting.game.board_cards[: betting.street + 1])]
        seen = self._viewer.seen_by(
            betting.game,
            betting.stacks,
            seats,
            player,
            state.hole[player],
            board,
            past_actions(betting, seats),
        )
        self.tensor[:] = seen.seen

    def string_from(self, state: SpielState, player: int) -> str:
        """Return the same as text: own cards, board and actions."""
        cards = f"{cards_text(state.hole[player])} {cards_text(state.board)}"
        return f"{player} {cards} {_actions_text(state.betting)}"


class HouseBot(pyspiel.Bot):
    """A house bot or compiled opponent, by ``name``, as the bot of a ``player`` in ``pyspiel.evaluate_bots``.

    It sees what its seat may see. OpenSpiel tells no bot how a hand ended, so it remembers none: a new one,
    whose ``seed`` follows from this one, begins each hand.
    Raises BadPlayer, UnknownOpponent, and UnplayableGame for another game than ``SpielGame``.
    """

    def __init__(self, game: pyspiel.Game, player: int, name: str, seed: int = 0) -> None:
        super().__init__()
        if not isinstance(game, SpielGame):
            raise UnplayableGame(f"house bots play the game pokerd, not {game.get_type().short_name}")
        self._game = game.definition
        if not 0 <= player < self._game.players:
            raise BadPlayer(f"players are 0 to {self._game.players - 1}, not {player}")
        self._player, self._name = player, name
        self._random = Random(f"OpenSpiel {seed} {player}")
        self.restart()

    def restart(self) -> None:
        """Begin a hand."""
        seats: list[Strategy | None] = [None] * self._game.players
        self._bot = seats[self._player] = opponent(self._name, self._random.getrandbits(62), self._game)
        self._table = EventForwarder(self._game, seats)
        self._told = 0
        self._cards = _Cards((), ())
        self._hand: HandState | None = None

    def restart_at(self, state: SpielState) -> None:
        """Begin a hand in the middle: ``step`` tells the bot what has happened."""
        self.restart()

    def step(self, state: pyspiel.State) -> int:
        """Return the bot's action in a state of its player: one later in the same hand, or else of another
        hand, which begins with that. Raises BadPlayer, and UnplayableGame for a state of another game.
        """
        if not isinstance(state, SpielState) or state.betting.game != self._game:
            raise UnplayableGame("the state is of another game than the bot")
        if state.current_player() != self._player:
            raise BadPlayer(f"player {self._player} is not to act")
        hand = self._hand_at(state)
        for event in hand.events[self._told :]:
            self._table.forward(event)
        self._told = len(hand.events)
        situation = self._table.observer.situation_of(self._player, hand.hole[self._player], hand.legal())
        action = self._bot.decide(situation)
        if action.kind != "raise":
            return _FOLD if action == FOLD else _CALL
        return _RAISE if self._game.limit else state.betting.street_start + action.to

    def _hand_at(self, state: SpielState) -> HandState:
        """Return the hand as far as the player knows it."""
        history, own = state.betting.history, state.hole[self._player]
        hand = self._hand
        if hand is not None:
            past = hand.betting.history
            known = (hand.hole[self._player], hand.board, past)
            if known != (own, state.board[: len(hand.board)], history[: len(past)]):
                self.restart()
        if self._hand is None:
            hole = [own if player == self._player else () for player in range(self._game.players)]
            self._cards = _Cards(tuple(hole), ())
            self._hand = HandState(self._game, self._cards)
        self._cards.dealt = state.board
        for _, _, action in history[len(self._hand.betting.history) :]:
            self._hand.act(action)
        return self._hand


class _Cards:
    """The cards that a player knows, of hold'em."""

    def __init__(self, hole: tuple[tuple[int, ...], ...], dealt: tuple[int, ...]) -> None:
        self.hole, self.dealt = hole, dealt

    def board(self, street: int) -> tuple[int, ...]:
        return self.dealt[(0, 0, 3, 4)[street] : (0, 3, 4, 5)[street]]


class _Bets:
    """A betting that can be copied and pickled, compiled or not."""

    __slots__ = ("betting",)

    def __init__(self, betting: Betting) -> None:
        self.betting = betting

    def __deepcopy__(self, memo: dict[int, object]) -> _Bets:
        return _Bets(self.betting.copy())

    def __reduce__(self) -> tuple[Any, ...]:
        betting = self.betting
        return _again, (betting.game, betting.stacks, [action for _, _, action in betting.history])


def _again(game: Game, stacks: Sequence[int], actions: Iterable[Action]) -> _Bets:
    betting = Betting(game, stacks)
    for action in actions:
        betting.act(action)
    return _Bets(betting)


def _actions_text(betting: Betting) -> str:
    streets = [""] * (betting.street + 1)
    for street, _, action in betting.history:
        streets[street] += f"r{action.to}" if action.kind == "raise" else action.kind[0]
    return "/".join(streets)


pyspiel.register_game(_TYPE, SpielGame)
