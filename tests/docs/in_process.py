"""A competition played without sockets and processes: what its hands, and so its standings, must be.

Takes seconds where the real thing takes minutes, so that the standings shown in the documents can be checked.
"""

from __future__ import annotations

import ast
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Protocol

from dealer.match import Session, bot_seed
from dealer.rules.actions import CALL, FOLD, Action, raise_to
from dealer.rules.events import Event
from dealer.rules.hand import HandState
from dealer.rules.legal import Legal
from dealer.scoring import Scores
from dealer.standings import standings_data, standings_markdown
from protocol.codec import JSON
from protocol.event_messages import turn_message
from server.competition.file import Competition, load_competition
from server.competition.results import net_chips
from strategy.observer import Observer
from strategy.registry import create_strategy
from tests.docs.pages import ROOT


class _Player(Protocol):
    def decide(self, legal: Legal, pot: int) -> Action: ...

    def see(self, event: Event) -> None: ...


class _Brain:
    """A house bot."""

    def __init__(self, name: str, seed: int, competition: Competition, division: str, seat: int) -> None:
        game = competition.games[division]
        self.strategy = create_strategy(name, seed, game)
        self.observer = Observer(game, seat)

    def see(self, event: Event) -> None:
        self.observer.observe(event)

    def decide(self, legal: Legal, pot: int) -> Action:
        return self.strategy.decide(self.observer.situation(legal))


class _Program:
    """A bot without the SDK: the function ``answer`` of its file, asked with the message it would get."""

    def __init__(self, path: Path) -> None:
        tree = ast.parse(path.read_text(encoding="utf-8"))
        tree.body = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
        space: dict[str, Any] = {"TABLE": ""}
        exec(compile(tree, str(path), "exec"), space)
        self.answer: Callable[[dict[str, Any]], dict[str, Any]] = space["answer"]

    def see(self, event: Event) -> None:
        """Such a bot listens to its turns alone."""

    def decide(self, legal: Legal, pot: int) -> Action:
        turn = json.loads(JSON.encode(turn_message("t", 0, legal, pot, 1.0, 1.0)))
        act = self.answer(turn)
        return {"fold": FOLD, "call": CALL, "check": CALL}.get(act["action"]) or raise_to(act["to"])


def standings(path: Path, *names: str) -> dict[str, str]:
    """The standings of some divisions of a competition file, as ``standings.md`` has them."""
    competition, _ = load_competition(path)
    return {name: _division(competition, name) for name in names}


def _division(competition: Competition, name: str) -> str:
    scores = Scores(competition.divisions[name], competition.chips_per_unit(name))
    for session in competition.sessions:
        if session.division == name:
            scores.add(session, net_chips(competition, session, _session(competition, session)))
    return standings_markdown(standings_data(scores, {}))


def _session(competition: Competition, session: Session) -> list[list[Event]]:
    players = [_player(competition, session, seat) for seat in range(len(session.players))]
    hands = competition.format(session)
    played = []
    while (hand := hands.next_hand()) is not None:
        _hand(hand, players)
        hands.finish_hand(hand)
        played.append(list(hand.events))
    return played


def _player(competition: Competition, session: Session, seat: int) -> _Player:
    bot = competition.bots[session.players[seat]]
    if bot.run:
        seed = bot_seed(competition.key, session, seat)
        return _Brain(bot.run, seed, competition, session.division, seat)
    assert bot.command is not None
    return _Program(ROOT / bot.command[-1])


def _hand(hand: HandState, players: Sequence[_Player]) -> None:
    told = 0
    while True:
        for event in hand.events[told:]:
            for player in players:
                player.see(event)
        told = len(hand.events)
        seat = hand.to_act
        if seat is None:
            return
        hand.act(players[seat].decide(hand.legal(), hand.betting.pot))
