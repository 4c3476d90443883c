"""Competitions by plain calls: rules and strategies in this process, one session after the other, without
server, sockets or bot processes. Every way to run one for real must leave the same records.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from dealer.formats.format import TableFormat
from dealer.formats.tournament import Tournament
from dealer.match import Session, bot_seed
from dealer.rules.hand import HandState
from server.competition.file import Competition, parse_competition, without_tokens
from server.competition.progress import CompetitionProgress
from server.competition.store import CompetitionStore
from strategy.observer import Observer
from strategy.registry import DeclaringStrategy, Strategy, create_strategy, parameters_of
from tests.support.competitions.arena import ROOT

Players = Sequence[tuple[Strategy, Observer]]


def by_plain_calls(text: str, out: Path, strategies: Mapping[str, str] | None = None) -> Path:
    """Play a competition of house bots without a server, and write its directory. ``strategies``: what bots
    from elsewhere play.
    """
    planned = parse_competition(text, ROOT)
    store = CompetitionStore(out)
    store.open(planned, without_tokens(text, planned))
    progress = CompetitionProgress(planned)
    for session in planned.sessions:
        hands = planned.format(session)
        recorder = store.begin_session(session, hands.game)
        for hand in _played(hands, _seated(planned, session, hands, strategies or {})):
            recorder.record_hand(hand.events)
        recorder.close()
        if isinstance(hands, Tournament):
            progress.places[session.name] = hands.places
    store.finish(planned, progress)
    store.close()
    return out


def _seated(
    planned: Competition, session: Session, hands: TableFormat, strategies: Mapping[str, str]
) -> Players:
    """Strategies as fresh as those of a new process."""
    players = []
    for seat, name in enumerate(session.players):
        bot = planned.bots[name]
        kind = bot.run or strategies[name]
        parameters = None if bot.parameters is None else parameters_of(kind, bot.parameters)
        seed = bot_seed(planned.key, session, seat)
        players.append((create_strategy(kind, seed, hands.game, parameters), Observer(hands.game, seat)))
    return players


def _played(hands: TableFormat, players: Players) -> list[HandState]:
    done = []
    while (hand := hands.next_hand()) is not None:
        told = 0
        while (seat := hand.to_act) is not None:
            for event in hand.events[told:]:
                for _, observer in players:
                    observer.observe(event)
            told = len(hand.events)
            strategy, observer = players[seat]
            action = strategy.decide(observer.situation(hand.legal()))
            chances = strategy.chances if isinstance(strategy, DeclaringStrategy) else {}
            hand.act(action, policy=tuple((one.text(), chance) for one, chance in chances.items() if chance))
        hands.finish_hand(hand)
        done.append(hand)
    return done
