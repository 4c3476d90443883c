"""A table at which every seat learns that opponents leave, as PettingZoo's environments.

An episode is a hand by ``dealer.rules``. Agents are seats, ``player_0`` and so on, and positions move on by
one each hand. A reward is what a hand won, in big blinds, when it is over. Opponents sit in the last seats;
hands in which no agent is asked are dealt and left out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import repeat
from typing import Any, ClassVar

import numpy as np
from gymnasium.spaces import Box, Dict, Discrete
from gymnasium.utils.seeding import np_random
from numpy.typing import NDArray
from pettingzoo import AECEnv, ParallelEnv

from dealer.deck import SEED_BYTES, secure_deals
from dealer.match import seat_at
from dealer.rules.games import Game
from dealer.rules.hand import HandState
from pokerd.env.errors import BadAction, ResetFirst
from pokerd.env.house import game_for_bots, opponent
from pokerd.env.tables import DEFAULT_GAME, game_of, whole_numbers
from strategy.batch.learning import playable_stacks
from strategy.batch.menu import POT_SIZES
from strategy.batch.observation import HISTORY, largest
from strategy.batch.opponents import UnknownOpponent
from strategy.batch.view import Decision, Viewer
from strategy.registry import Strategy
from strategy.situation import past_actions
from studies.harness.session import EventForwarder

Observation = dict[str, NDArray[Any]]


class _Seats:
    """The hands of a table, one after the other, and what each agent sees of them."""

    def __init__(
        self,
        game: Game | str,
        opponents: Sequence[str] | str,
        stacks: Sequence[int] | None,
        sizes: Sequence[float],
        history: int,
    ) -> None:
        self.game = game_of(game)
        self._stacks = playable_stacks(self.game, stacks)
        others = self.game.players - 1
        self._opponents = [opponents] * others if isinstance(opponents, str) else list(opponents)
        if len(self._opponents) > others:
            raise UnknownOpponent(f"at most {others} opponents leave a seat, not {len(self._opponents)}")
        self.agents = [f"player_{seat}" for seat in range(self.game.players - len(self._opponents))]
        self._viewer = Viewer(self.game, sizes=sizes, history=history)
        self._bots_game = game_for_bots(self.game, self._stacks) if self._opponents else self.game
        for name in set(self._opponents):
            opponent(name, 0, self._bots_game)
        self._random: np.random.Generator | None = None
        self._number = 0
        self._hand: HandState | None = None
        high = largest(self.game.players, max(self._stacks) / self.game.min_bet)
        seen = Box(0.0, high, (self._viewer.length,), np.float32)
        mask = Box(0, 1, (self._viewer.actions,), np.int8)
        self.sees = {agent: Dict({"observation": seen, "action_mask": mask}) for agent in self.agents}
        self.does = {agent: Discrete(self._viewer.actions) for agent in self.agents}

    def deal(self, seed: int | None) -> None:
        if seed is not None or self._random is None:
            self._random, _ = np_random(seed)
            self._number = 0
            self._seat_bots(self._random)
        elif not self.hand.over:  # bots would remember a hand without an end
            self._seat_bots(self._random)
        players = self.game.players
        while True:
            deals, number = secure_deals(self._random.bytes(SEED_BYTES), 0, self.game), self._number
            seats = [seat_at(position, number, players) for position in range(players)]
            cards = deals.deal(number)
            self._hand = HandState(self.game, cards, number=number, seats=seats, stacks=self._stacks)
            self._told = 0
            self._number += 1
            self._go_on()
            if not self._hand.over:
                return

    def _seat_bots(self, random: np.random.Generator) -> None:
        """Let bots sit down that remember nothing."""
        seeds = random.spawn(1)[0].integers(1 << 62, size=len(self._opponents)).tolist()
        self._bots: list[Strategy | None] = [None] * len(self.agents)
        self._bots += map(opponent, self._opponents, seeds, repeat(self._bots_game))
        self._table = EventForwarder(self._bots_game, self._bots)

    def _go_on(self) -> None:
        """Let bots act until an agent is asked, or the hand is over."""
        if not self._opponents:
            return
        hand, table = self.hand, self._table
        while True:
            for event in hand.events[self._told :]:
                table.forward(event)
            self._told = len(hand.events)
            seat = hand.to_act
            bot = None if seat is None else self._bots[seat]
            if seat is None or bot is None:
                return
            hand.act(bot.decide(table.observer.situation_of(seat, table.holes[seat], hand.legal())))

    @property
    def hand(self) -> HandState:
        """The hand in play, or the last one. Raises ResetFirst."""
        if self._hand is None:
            raise ResetFirst("no hand has begun: reset comes first")
        return self._hand

    @property
    def agent(self) -> str:
        """Who is to act. Raises ResetFirst."""
        seat = self.hand.to_act
        if seat is None:
            raise ResetFirst("the hand is over: reset deals the next one")
        return self.agents[seat]

    def see(self, agent: str) -> Observation:
        decision = self._decision(agent)
        return {"observation": decision.seen, "action_mask": decision.mask}

    def act(self, choice: int) -> bool:
        """Act by a number of the menu; return whether it was legal."""
        decision = self._decision(self.agent)
        self.hand.act(decision.action(choice))
        self._go_on()
        return 0 <= choice < len(decision.mask) and bool(decision.mask[choice])

    def rewards(self) -> dict[str, float]:
        """What the hand paid, once it is over."""
        big_blind = self.game.min_bet
        pairs = zip(self.hand.seats, self.hand.values, strict=True)
        won = {seat: value / big_blind for seat, value in pairs}
        return {agent: won[seat] for seat, agent in enumerate(self.agents)}

    def _decision(self, agent: str) -> Decision:
        hand = self.hand
        seat = self.agents.index(agent)
        steps = past_actions(hand.betting, hand.seats)
        hole = hand.hole[hand.seats.index(seat)]
        return self._viewer.seen_by(self.game, hand.betting.stacks, hand.seats, seat, hole, hand.board, steps)


class _Agents:
    """The agents of either interface, what they see, and what they can do."""

    def __init__(
        self,
        game: Game | str = DEFAULT_GAME,
        opponents: Sequence[str] | str = (),
        *,
        stacks: Sequence[int] | None = None,
        sizes: Sequence[float] = POT_SIZES,
        history: int = HISTORY,
    ) -> None:
        self._seats = _Seats(game, opponents, stacks, sizes, history)
        self.render_mode = None
        self.possible_agents = list(self._seats.agents)
        self.agents: list[str] = []
        self.observation_spaces, self.action_spaces = self._seats.sees, self._seats.does

    def observation_space(self, agent: str) -> Dict:
        """Return what the agent sees."""
        return self._seats.sees[agent]

    def action_space(self, agent: str) -> Discrete[np.int64]:
        """Return what the agent can do."""
        return self._seats.does[agent]


class PokerAECEnv(_Agents, AECEnv[str, Observation, int]):
    """The agents act in turn. An observation has ``observation``, float32[n], as in
    ``strategy.batch.observation``, and ``action_mask``, int8[actions], all 0 for who is not to act. An action
    that is not legal counts as a check, or else as a fold, and ``infos`` says ``illegal``.

    ``opponents`` are names as in ``PokerVectorEnv``: one for every seat but ``player_0``'s, or a list for the
    last seats. They are no agents. ``game``, ``stacks``, ``sizes`` and ``history`` are as there. Raises
    GameError, UnplayableGame, BadMenu, BadHistory and UnknownOpponent.
    """

    metadata: ClassVar[dict[str, Any]] = {"render_modes": [], "name": "pokerd_v0", "is_parallelizable": False}
    agent_selection = ""  # nobody's turn before ``reset``

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Deal the next hand; with a seed, begin anew."""
        self._seats.deal(seed)
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self.agent_selection = self._seats.agent

    def observe(self, agent: str) -> Observation:
        """Return what the agent sees now."""
        return self._seats.see(agent)

    def step(self, action: int | None) -> None:
        """Act for ``agent_selection``; None when its hand is over. Raises ResetFirst and BadAction."""
        if not self.agents:
            raise ResetFirst("no hand is in play: reset deals the next one")
        agent = self.agent_selection
        if self.terminations[agent]:
            self._was_dead_step(action)
            return
        choice = int(whole_numbers(action, ()))
        self._cumulative_rewards[agent] = 0.0
        self.infos[agent] = {"illegal": not self._seats.act(choice)}
        self._clear_rewards()
        if self._seats.hand.over:
            self.rewards = self._seats.rewards()
            self.terminations = dict.fromkeys(self.agents, True)
        else:
            self.agent_selection = self._seats.agent
        self._accumulate_rewards()
        self._deads_step_first()


class PokerParallelEnv(_Agents, ParallelEnv[str, Observation, int]):
    """As ``PokerAECEnv``, but every agent is asked in every step, and of the actions only that of the one to
    act counts; for the others no action is legal.
    """

    metadata: ClassVar[dict[str, Any]] = {"render_modes": [], "name": "pokerd_v0"}

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Observation], dict[str, dict[str, Any]]]:
        """Deal the next hand; with a seed, begin anew."""
        self._seats.deal(seed)
        self.agents = list(self.possible_agents)
        return self._see(), {agent: {} for agent in self.agents}

    def step(
        self, actions: Mapping[str, int]
    ) -> tuple[
        dict[str, Observation], dict[str, float], dict[str, bool], dict[str, bool], dict[str, dict[str, Any]]
    ]:
        """Act for the agent to act. Raises ResetFirst and BadAction."""
        actor = self._seats.agent
        if actor not in actions:
            raise BadAction(f"{actor} is to act, and there is no action for it")
        legal = self._seats.act(int(whole_numbers(actions[actor], ())))
        over = self._seats.hand.over
        live = self.agents
        seen = self._see()
        rewards = self._seats.rewards() if over else dict.fromkeys(live, 0.0)
        infos: dict[str, dict[str, Any]] = {agent: {} for agent in live}
        infos[actor]["illegal"] = not legal
        if over:
            self.agents = []
        return seen, rewards, dict.fromkeys(live, over), dict.fromkeys(live, False), infos

    def _see(self) -> dict[str, Observation]:
        return {agent: self._seats.see(agent) for agent in self.possible_agents}
