"""Checks a finished competition from its directory alone: every card, every hand, every number."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

from dealer.deck import verify_commitment
from dealer.errors import DealerError
from dealer.formats import Tournament
from dealer.match import Session
from dealer.records.journal import hand_line
from dealer.rules.actions import Action
from dealer.rules.errors import RulesError
from dealer.rules.events import Acted, Event
from dealer.rules.hand import Hand
from dealer.table import policy_action
from server.competition_file import Competition
from server.results import Results, exports
from server.store import Store, StoreError, session_header

__all__ = ["Difference", "verify", "verify_directory"]


class Difference(ValueError):
    """The first thing that is not as it must be. ``code`` is ``difference``."""

    code = "difference"


def verify(out: Path) -> int:
    """Check, and say the result in one line. Returns 0 when all is right, 1 at the first difference."""
    try:
        sessions, hands = verify_directory(out)
    except Difference as difference:
        print(f"{out}: {difference}")
        return 1
    print(
        f"{out}: {sessions} sessions, {hands:,} hands dealt from the seed and replayed; every number is right"
    )
    return 0


def verify_directory(out: Path) -> tuple[int, int]:
    """Sessions and hands checked. Raises ``Difference``, or ``StoreError`` when this is no finished
    competition.
    """
    store = Store(out)
    competition = store.competition()
    published = store.read("commitment.json", dict[str, str]).get("commitment", "")
    if isinstance(competition.seed, int):
        if hashlib.sha256(competition.seed_bytes).hexdigest() != published:
            raise Difference("seed.json: the revealed seed does not belong to the commitment")
    else:
        try:
            verify_commitment(competition.seed, published)
        except DealerError as error:
            raise Difference(f"seed.json: {error}") from None
    for division, game in competition.games.items():
        _compare(out / "games" / f"{division}.game", game.text())
    places: dict[str, list[int]] = {}
    results = Results(competition)
    hands = 0
    for session in competition.sessions:
        recorded = _verify_session(competition, store, session, places)
        results.add(session, recorded)
        hands += len(recorded)
    if places and store.read("places.json", dict[str, list[int]]) != places:
        raise Difference(f"{out / 'places.json'} does not give the finishing order of the hands played")
    incidents = store.read("incidents.json", dict[str, dict[str, dict[str, int]]])
    for name, text in results.standings(incidents):
        _compare(out / name, text)
    return len(competition.sessions), hands


def _verify_session(
    competition: Competition, store: Store, session: Session, places: dict[str, list[int]]
) -> list[list[Event]]:
    path = store.path(session, ".jsonl")
    game_format = competition.format(session)
    recorded: list[list[Event]] = []
    right = [session_header(session, game_format.game)]
    try:
        for events in store.hands(session):
            recorded.append(events)
            hand = game_format.next_hand()
            if hand is None:
                raise Difference(f"{path}: hand {len(recorded)} is one too many")
            _verify_hand(hand, events, f"{path}: line {len(recorded) + 1}")
            right.append(hand_line(hand.events))
            game_format.finished(hand)
    except StoreError as error:
        raise Difference(str(error)) from None
    except DealerError as error:
        raise Difference(f"{path}: {error}") from None
    if not game_format.over:
        raise Difference(f"{path}: only {len(recorded)} hands, the session is not over")
    # Equal events can be written in more ways than one: 50 and 50.0.
    _compare(path, "".join(right))
    if isinstance(game_format, Tournament):
        places[session.name] = game_format.places
    for suffix, text in exports(competition, session, recorded):
        _compare(store.path(session, suffix), text)
    return recorded


def _verify_hand(hand: Hand, events: Sequence[Event], where: str) -> None:
    """Play the recorded actions with the cards that the seed gives, and compare every event."""
    for event in events:
        if isinstance(event, Acted):
            action = Action("raise", event.to) if event.action == "raise" else Action(event.action)
            policy = not hand.over and action == policy_action(hand.legal())
            if event.forced not in ("", "timeout", "absent") or (event.forced and not policy):
                raise Difference(
                    f"{where}: hand {hand.number}: {event} is not what the table does for a player"
                )
            try:
                hand.act(action, event.forced)
            except RulesError as error:
                raise Difference(f"{where}: hand {hand.number}: the rules refuse {event}: {error}") from None
    if not hand.over:
        raise Difference(f"{where}: hand {hand.number} is not played to its end")
    for number, (found, right) in enumerate(zip(events, hand.events, strict=False)):
        if found != right or type(found) is not type(right):
            raise Difference(f"{where}: hand {hand.number}, event {number} is {found}, but must be {right}")
    if len(events) != len(hand.events):
        raise Difference(
            f"{where}: hand {hand.number} has {len(events)} events, but must have {len(hand.events)}"
        )


def _compare(path: Path, text: str) -> None:
    """Compare a file with what it must be, line by line."""
    try:
        found = path.read_bytes().decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise Difference(f"{path} cannot be read: {error}") from None
    lines, right = found.splitlines(keepends=True), text.splitlines(keepends=True)
    for number, (line, must) in enumerate(zip(lines, right, strict=False), 1):
        if line != must:
            raise Difference(f"{path}: line {number} is {line!r}, but must be {must!r}")
    if len(lines) != len(right):
        raise Difference(f"{path} has {len(lines)} lines, but must have {len(right)}")
