"""A table at which every seat learns, as PettingZoo's environments.

An episode is a hand by ``dealer.rules``. Agents are seats, ``player_0`` and so on, and positions move on by
one each hand. A reward is what a hand won, in big blinds, when it is over.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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
from pokerd.env.tables import DEFAULT_GAME, game_of
from strategy.batch.learning import playable_stacks
from strategy.batch.menu import POT_SIZES
from strategy.batch.observation import HISTORY, largest
from strategy.batch.view import Decision, Viewer
from strategy.situation import past_actions

Observation = dict[str, NDArray[Any]]


class _Seats:
    """The hands of a table, one after the other, and what each seat sees of them."""

    def __init__(
        self, game: Game | str, stacks: Sequence[int] | None, sizes: Sequence[float], history: int
    ) -> None:
        self.game = game_of(game)
        self._stacks = playable_stacks(self.game, stacks)
        self.agents = [f"player_{seat}" for seat in range(self.game.players)]
        self._viewer = Viewer(self.game, sizes=sizes, history=history)
        self._random: np.random.Generator | None = None
        self._number = 0
        high = largest(self.game.players, max(self._stacks) / self.game.min_bet)
        seen = Box(0.0, high, (self._viewer.length,), np.float32)
        mask = Box(0, 1, (self._viewer.actions,), np.int8)
        self.sees = {agent: Dict({"observation": seen, "action_mask": mask}) for agent in self.agents}
        self.does = {agent: Discrete(self._viewer.actions) for agent in self.agents}

    def deal(self, seed: int | None) -> None:
        if seed is not None or self._random is None:
            self._random, _ = np_random(seed)
            self._number = 0
        deals = secure_deals(self._random.bytes(SEED_BYTES), 0, self.game)
        seats = [seat_at(position, self._number, self.game.players) for position in range(self.game.players)]
        cards = deals.deal(self._number)
        self.hand = HandState(self.game, cards, number=self._number, seats=seats, stacks=self._stacks)
        self._number += 1

    @property
    def agent(self) -> str:
        """Who is to act."""
        assert self.hand.to_act is not None
        return self.agents[self.hand.to_act]

    def see(self, agent: str) -> Observation:
        decision = self._decision(self.agents.index(agent))
        return {"observation": decision.seen, "action_mask": decision.mask}

    def act(self, choice: int) -> bool:
        """Act by a number of the menu; return whether it was legal."""
        assert self.hand.to_act is not None
        decision = self._decision(self.hand.to_act)
        self.hand.act(decision.action(choice))
        return 0 <= choice < len(decision.mask) and bool(decision.mask[choice])

    def rewards(self) -> dict[str, float]:
        """What the hand paid, once it is over."""
        big_blind = self.game.min_bet
        pairs = zip(self.hand.seats, self.hand.values, strict=True)
        return {self.agents[seat]: value / big_blind for seat, value in pairs}

    def _decision(self, seat: int) -> Decision:
        hand = self.hand
        steps = past_actions(hand.betting, hand.seats)
        hole = hand.hole[hand.seats.index(seat)]
        return self._viewer.seen_by(self.game, hand.betting.stacks, hand.seats, seat, hole, hand.board, steps)


class _Agents:
    """The agents of either interface, what they see, and what they can do."""

    def __init__(
        self,
        game: Game | str = DEFAULT_GAME,
        *,
        stacks: Sequence[int] | None = None,
        sizes: Sequence[float] = POT_SIZES,
        history: int = HISTORY,
    ) -> None:
        self._seats = _Seats(game, stacks, sizes, history)
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
    """The seats act in turn. An observation has ``observation``, float32[n], as in
    ``strategy.batch.observation``, and ``action_mask``, int8[actions], all 0 for who is not to act. An action
    that is not legal counts as a check, or else as a fold, and ``infos`` says ``illegal``.

    ``game``, ``stacks``, ``sizes`` and ``history`` are as in ``PokerVectorEnv``. Raises GameError,
    UnplayableGame, BadMenu and BadHistory.
    """

    metadata: ClassVar[dict[str, Any]] = {"render_modes": [], "name": "pokerd_v0", "is_parallelizable": False}

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
        """Act for ``agent_selection``."""
        agent = self.agent_selection
        if self.terminations[agent]:
            self._was_dead_step(action)
            return
        assert action is not None
        self._cumulative_rewards[agent] = 0.0
        self.infos[agent] = {"illegal": not self._seats.act(int(action))}
        self._clear_rewards()
        if self._seats.hand.over:
            self.rewards = self._seats.rewards()
            self.terminations = dict.fromkeys(self.agents, True)
        else:
            self.agent_selection = self._seats.agent
        self._accumulate_rewards()
        self._deads_step_first()


class PokerParallelEnv(_Agents, ParallelEnv[str, Observation, int]):
    """As ``PokerAECEnv``, but every seat is asked in every step, and of the actions only that of the seat to
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
        """Act for the seat to act."""
        actor = self._seats.agent
        legal = self._seats.act(int(actions[actor]))
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
