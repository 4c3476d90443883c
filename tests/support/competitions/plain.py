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
from strategy.registry import Strategy, create_strategy
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
    kinds = {name: planned.bots[name].run or strategies[name] for name in session.players}
    return [
        (
            create_strategy(kinds[name], bot_seed(planned.key, session, seat), hands.game),
            Observer(hands.game, seat),
        )
        for seat, name in enumerate(session.players)
    ]


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
            hand.act(strategy.decide(observer.situation(hand.legal())))
        hands.finish_hand(hand)
        done.append(hand)
    return done
