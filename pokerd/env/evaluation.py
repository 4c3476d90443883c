"""What a policy wins, in duplicate by the rules of ``dealer``, against house bots or compiled opponents."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from importlib import import_module
from itertools import islice
from math import fsum
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dealer.deck import seed_bytes
from dealer.intervals import Interval, mean_interval
from dealer.luck.adjusted import adjusted_net
from dealer.match import Division, Session, bot_seed, play_key
from dealer.rules.actions import Action
from dealer.rules.events import Event, ends_of
from dealer.rules.games import Game
from pokerd.env.errors import BadPolicy
from pokerd.env.house import opponent
from pokerd.env.tables import DEFAULT_GAME, game_of
from strategy.batch.learning import playable_stacks
from strategy.batch.menu import POT_SIZES
from strategy.batch.observation import HISTORY
from strategy.batch.view import Decision, Viewer
from strategy.situation import Situation
from studies.harness.arena import Contest, FixedTable
from studies.harness.session import decisions

Policy = Callable[[NDArray[np.float32], NDArray[np.int8]], Any]
"""Called with observations, float32[n, size], and masks, int8[n, actions]; returns n numbers of the menu."""

_POLICY = "policy"
_BOARDS = 100
"""Random boards of each hand before the turn, to take out the luck of its cards."""
_AT_ONCE = 128
"""Sessions played side by side, so that a policy is asked for many actions at a time."""


class Evaluation(NamedTuple):
    """What a policy won against ``against``, in mbb/hand with 95 % intervals over ``deals`` (every seating of
    a deal is one unit): ``won`` without the luck of the cards, ``raw`` as the chips went. ``illegal`` is how
    many of its ``decisions`` were not legal; they counted as a check, or else as a fold.
    """

    against: str
    hands: int
    deals: int
    won: Interval
    raw: Interval
    decisions: int
    illegal: int


def evaluate(
    policy: Policy,
    game: Game | str = DEFAULT_GAME,
    against: Sequence[str] | str = ("call", "fair"),
    *,
    matches: int = 10,
    hands: int = 100,
    seed: int = 0,
    stacks: Sequence[int] | None = None,
    sizes: Sequence[float] = POT_SIZES,
    history: int = HISTORY,
) -> list[Evaluation]:
    """Play a policy against each of these bots, or the one, at every other seat, and return what it won.

    ``matches`` of ``hands`` deals are played in every seating, or beyond two players in all rotations, each
    with bots that remember nothing. ``stacks`` (by position; default: the game's), ``sizes`` and ``history``
    are those that the policy was trained with. Results follow from ``seed``, an ACPC seed, if the policy's
    actions follow from what it sees.

    Raises BadPolicy, GameError, UnplayableGame, BadMenu, BadHistory, UnknownOpponent, MatchError and the
    errors of the bots.
    """
    definition = game_of(game)
    definition = replace(definition, stacks=playable_stacks(definition, stacks))
    viewer = Viewer(definition, sizes=sizes, history=history)
    seating = "all" if definition.players == 2 else "rotations"
    bots = (_POLICY, *(f"bot-{number}" for number in range(1, definition.players)))
    division = Division("evaluation", bots, definition.players, matches, hands, seating)
    contest = Contest(division, FixedTable(definition), {}, seed)
    names = [against] if isinstance(against, str) else against
    return [_against(policy, viewer, contest, name) for name in names]


def load_policy(name: str) -> Policy:
    """Return the policy that ``module:function`` or ``file.py:NAME`` names. As with a program that Python
    starts, the folder of the file is searched for what it imports, and the current one for a module.

    Raises BadPolicy, from what the policy's code raised.
    """
    place, colon, attribute = name.rpartition(":")
    is_file = place.endswith(".py")
    if not colon or not place or not attribute or (place.startswith(".") and not is_file):
        raise BadPolicy(f"a policy is named as module:function or file.py:NAME, not {name[:80]!r}")
    try:
        sys.path.insert(0, str((Path(place).parent if is_file else Path()).resolve()))
        policy = getattr(_load_file(Path(place)) if is_file else import_module(place), attribute, None)
    except (Exception, SystemExit) as error:
        raise BadPolicy(f"cannot import {place[:80]!r}: {_said(error)}; mend it, or name another") from error
    if not callable(policy):
        raise BadPolicy(f"{place[:80]!r} has no function {attribute[:80]!r}")
    found: Policy = policy
    return found


def _said(error: BaseException) -> str:
    """Return what an exception says, on one line."""
    return " ".join(f"{type(error).__name__}: {error}".split())[:300]


def _load_file(path: Path) -> object:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules.setdefault(path.stem, module)
    spec.loader.exec_module(module)
    return module


def _against(policy: Policy, viewer: Viewer, contest: Contest, name: str) -> Evaluation:
    waiting = (_Play(contest, session, name) for session in contest.sessions)
    finished: list[_Play] = []
    playing: list[_Play] = []
    decisions = illegal = 0
    while playing := [*playing, *islice(waiting, _AT_ONCE - len(playing))]:
        finished += [play for play in playing if play.situation is None]
        playing = [play for play in playing if play.situation is not None]
        if not playing:
            continue
        seen = [viewer.decision(play.situation) for play in playing if play.situation is not None]
        for play, decision, choice in zip(playing, seen, _ask(policy, seen), strict=True):
            decisions += 1
            illegal += not 0 <= choice < len(decision.mask) or not decision.mask[choice]
            play.act(decision.action(choice))
    won: dict[tuple[int, int], list[tuple[float, float]]] = {}
    for play in finished:
        for hand, values in enumerate(play.won):
            won.setdefault((play.match, hand), []).append(values)
    scale = 1000 / contest.unit
    by_deal = [
        [fsum(column) / len(values) for column in zip(*values, strict=True)] for values in won.values()
    ]
    adjusted, raw = (
        mean_interval([values[column] for values in by_deal]).scaled(scale).if_enough_units()
        for column in (0, 1)
    )
    return Evaluation(name, sum(map(len, won.values())), len(won), adjusted, raw, decisions, illegal)


def _ask(policy: Policy, seen: Sequence[Decision]) -> list[int]:
    """Return the policy's choices. Raises BadPolicy."""
    rows = np.stack([decision.seen for decision in seen])
    masks = np.stack([decision.mask for decision in seen])
    wanted = f"for observations, float32{[*rows.shape]}, and masks, int8{[*masks.shape]}, a policy returns "
    wanted += f"{len(seen)} whole numbers, those of its actions"
    try:
        returned = policy(rows, masks)
    except (Exception, SystemExit) as error:
        raise BadPolicy(f"{wanted}; this one raised {_said(error)}") from error
    try:
        answer = np.asarray(returned)
    except Exception as error:
        raise BadPolicy(f"{wanted}, not what is no array: {_said(error)}") from error
    if answer.shape != (len(seen),) or answer.dtype.kind not in "iu":
        raise BadPolicy(f"{wanted}, not {answer.dtype} of shape {answer.shape}")
    choices: list[int] = answer.tolist()
    return choices


class _Play:
    """A session with the policy at one seat. ``situation`` is what it is asked, None when all is over;
    ``won`` what each hand won, in chips, without the luck of the cards and as they went.
    """

    def __init__(self, contest: Contest, session: Session, name: str) -> None:
        form, game = contest.format(session), contest.table.game
        key = play_key(seed_bytes(contest.seed))
        self.match = session.match
        self.won: list[tuple[float, float]] = []
        self._seat = session.players.index(_POLICY)
        self._game = game
        players = [
            None if seat == self._seat else opponent(name, bot_seed(key, session, seat), game)
            for seat in range(game.players)
        ]
        self._play = decisions(form, players, self._note)
        self.situation: Situation | None = next(self._play, None)

    def act(self, action: Action) -> None:
        """Do what the policy says, and go on until it is asked again."""
        try:
            self.situation = self._play.send(action)
        except StopIteration:
            self.situation = None

    def _note(self, events: Sequence[Event]) -> None:
        started, ended = ends_of(events)
        adjusted = adjusted_net(self._game, events, self._seat, _BOARDS)
        self.won.append((adjusted, ended.values[started.seats.index(self._seat)]))
