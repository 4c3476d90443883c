"""Checks a finished competition from its directory alone: every card, every hand, every number."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence, Set
from pathlib import Path
from typing import Annotated

from msgspec import Meta

from dealer.deck import verify_commitment
from dealer.errors import DealerError, RecordError
from dealer.formats.format import TableFormat
from dealer.formats.tournament import Tournament
from dealer.luck.value import shipped_value
from dealer.match import Session
from dealer.records.journal import hand_line
from dealer.rules.actions import Action
from dealer.rules.errors import RulesError
from dealer.rules.events import Acted, Event, event_from_data
from dealer.rules.hand import HandState
from dealer.table import default_action
from protocol.errors import CODES
from server.competition.file import Competition
from server.competition.progress import CompetitionProgress
from server.competition.results import final_files, initial_files
from server.competition.store import CompetitionStore, StoreError, session_header
from server.errors import ServerError
from server.storage.competition_state import FLEET, CompetitionState
from server.storage.sqlite import STATE_DB_NAME, StateError
from server.telemetry.incidents import FORCED_INCIDENTS, Incident, IncidentCounts


class Difference(ServerError):
    """The first difference from what must be there."""

    code = "difference"


def verify(out: Path) -> int:
    """Verify a directory and print the result as one line. Return 0 if everything is right, 1 at the first
    difference.
    """
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
    """Verify a directory. Return the number of sessions and of hands. Raises ``Difference``, or
    ``StoreError`` if it holds no finished competition.
    """
    store = CompetitionStore(out)
    competition = store.competition()
    published = store.read_json("commitment.json", dict[str, str])
    try:
        verify_commitment(competition.seed, published.get("commitment", ""))
    except DealerError as error:
        raise Difference(f"seed.json: {error}") from None
    if competition.file_seed not in (None, competition.seed):
        raise Difference(f"{out / 'competition.toml'} gives another seed than the one revealed in seed.json")
    # Competitions that were played before there was a value function have none.
    luck = "value_function" in published
    if luck and published["value_function"] != shipped_value().digest:
        raise Difference("commitment.json names another value function than this version of pokerd has")
    places: dict[str, list[int]] = {}
    hands = 0

    def hands_of(session: Session) -> list[list[Event]]:
        nonlocal hands
        recorded = _verify_session(competition, store, session, places)
        hands += len(recorded)
        return recorded

    ours = {out / "competition.toml", *map(store.journal_path, competition.sessions)}
    for files in (
        initial_files(competition, luck=luck),
        final_files(competition, hands_of, _read_incidents(store), places, luck=luck),
    ):
        for name, text in files:
            _compare(out / name, text)
            ours.add(out / name)
    if (out / STATE_DB_NAME).is_file():
        _verify_state(competition, store)
        ours |= {out / f"{STATE_DB_NAME}{more}" for more in ("", "-wal", "-shm")}
    _verify_no_extra_files(out, ours)
    return len(competition.sessions), hands


def _read_incidents(store: CompetitionStore) -> IncidentCounts:
    """Read the counted incidents. Those that leave no trace in the hands cannot be verified."""
    incidents = store.read_json("incidents.json", dict[str, dict[str, dict[str, Annotated[int, Meta(ge=1)]]]])
    for bots in incidents.values():
        for kinds in bots.values():
            for kind in sorted(kinds.keys() - set(Incident) - CODES.keys()):
                raise Difference(f"{store.out / 'incidents.json'}: {kind!r} is no kind of incident")
    return incidents


def _verify_state(competition: Competition, store: CompetitionStore) -> None:
    """Check that the state has the same seed and hands. The hands of cut sessions must follow from the seed;
    they are in no journal.
    """
    path = store.out / STATE_DB_NAME
    state = CompetitionState(path, read_only=True)
    try:
        _verify_facts(competition, store, state)
        left = {session.name: session for session in competition.sessions}
        played = dict(left)
        for attempt, lines in state.journals():
            where = f"{path}: attempt {attempt.number} at {attempt.session}"
            session = played.get(attempt.session)
            if session is None:
                raise Difference(f"{where} belongs to no session of the competition")
            if attempt.state != "done":
                _verify_hands(competition.format(session), _parse_hands(lines, where), where)
            elif left.pop(session.name, None) is None:
                raise Difference(f"{where}: another attempt at this session is done, too")
            else:
                text = session_header(session, competition.format(session).game) + "".join(lines)
                _compare(store.journal_path(session), text)
        if left:
            raise Difference(f"{path} has no finished attempt at {next(iter(left))}")
        _verify_incidents(competition, store, state)
    except StateError as error:
        raise Difference(str(error)) from None
    finally:
        state.close()


def _verify_facts(competition: Competition, store: CompetitionStore, state: CompetitionState) -> None:
    """Check that the facts match the files, and that none is missing."""
    right = {
        "seed": competition.seed_text,
        "deck": competition.entry.deck,
        "file": (store.out / "competition.toml").read_text(encoding="utf-8"),
        "games": json.dumps({name: game.text() for name, game in competition.games.items()}),
        "finished": "yes",
    }
    facts = state.facts()
    if facts.get("seed", right["seed"]) != right["seed"]:
        raise Difference(f"{state.path} has another seed than seed.json")
    for name, value in right.items():
        if name not in facts:
            raise Difference(f"{state.path} lacks the fact {name!r}")
        if facts[name] != value:
            raise Difference(f"{state.path}: its fact {name!r} does not match the other files")
    strange = facts.keys() - right.keys() - set(FLEET)
    if strange:
        raise Difference(f"{state.path} has an unknown fact {min(strange)!r}")


def _verify_incidents(competition: Competition, store: CompetitionStore, state: CompetitionState) -> None:
    """Check that incidents without a trace in the hands have the same count in the state and in the file."""
    progress = CompetitionProgress(competition)
    progress.restore(competition, state)
    found = _read_incidents(store)
    for division, bots in progress.incidents.items():
        for bot, counts in bots.items():
            noted = found.get(division, {}).get(bot, {})
            for kind in sorted((counts.keys() | noted.keys()) - FORCED_INCIDENTS):
                if counts[kind] != noted.get(kind, 0):
                    raise Difference(
                        f"{store.out / 'incidents.json'} has {noted.get(kind, 0)} {kind!r} of {bot} in"
                        f" {division!r}, and {state.path} {counts[kind]}"
                    )


def _parse_hands(lines: Sequence[str], where: str) -> Iterator[list[Event]]:
    try:
        for line in lines:
            yield [event_from_data(event) for event in json.loads(line)]
    except (TypeError, ValueError, RecursionError) as error:
        raise Difference(f"{where}: {error}") from None


def _verify_no_extra_files(out: Path, ours: Set[Path]) -> None:
    for path in sorted(out.rglob("*")):
        if path not in ours and not path.is_dir() and path.relative_to(out).parts[0] != "logs":
            raise Difference(f"{path} does not belong to the competition: compete does not write it")


def _verify_session(
    competition: Competition, store: CompetitionStore, session: Session, places: dict[str, list[int]]
) -> list[list[Event]]:
    path = store.journal_path(session)
    game_format = competition.format(session)
    recorded: list[list[Event]] = []
    right = [session_header(session, game_format.game)]
    try:
        recorded = list(store.hands(session))
        right += _verify_hands(game_format, recorded, str(path))
    except (RecordError, StoreError) as error:
        raise Difference(str(error)) from None
    except DealerError as error:
        raise Difference(f"{path}: {error}") from None
    if not game_format.over:
        raise Difference(f"{path}: only {len(recorded)} hands, the session is not over")
    # Equal events have more than one spelling: 50 and 50.0.
    _compare(path, "".join(right))
    if isinstance(game_format, Tournament):
        places[session.name] = game_format.places
    return recorded


def _verify_hands(game_format: TableFormat, hands: Iterable[Sequence[Event]], where: str) -> list[str]:
    """Deal and replay hands, starting with the first. Return their journal lines."""
    right = []
    for number, events in enumerate(hands, 1):
        hand = game_format.next_hand()
        if hand is None:
            raise Difference(f"{where}: hand {number} is beyond the end of the session")
        _verify_hand(hand, events, f"{where}: line {number + 1}")
        right.append(hand_line(hand.events))
        game_format.finish_hand(hand)
    return right


def _verify_hand(hand: HandState, events: Sequence[Event], where: str) -> None:
    """Play the recorded actions with the cards that the seed gives, and compare every event."""
    for event in events:
        if isinstance(event, Acted):
            action = Action("raise", event.to) if event.action == "raise" else Action(event.action)
            policy = not hand.over and action == default_action(hand.legal())
            if event.forced and (event.forced not in FORCED_INCIDENTS or not policy):
                raise Difference(f"{where}: hand {hand.number}: {event} is not an action of the policy")
            try:
                hand.act(action, event.forced, event.policy)
            except RulesError as error:
                raise Difference(f"{where}: hand {hand.number}: the rules refuse {event}: {error}") from None
    if not hand.over:
        raise Difference(f"{where}: hand {hand.number} is not finished")
    for number, (found, right) in enumerate(zip(events, hand.events, strict=False)):
        if found != right or type(found) is not type(right):
            raise Difference(f"{where}: hand {hand.number}, event {number} is {found}, but must be {right}")
    if len(events) != len(hand.events):
        raise Difference(
            f"{where}: hand {hand.number} has {len(events)} events, but must have {len(hand.events)}"
        )


def _compare(path: Path, text: str) -> None:
    """Compare a file with its required content, line by line."""
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
