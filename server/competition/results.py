"""Every file of a competition except its journals, as text: what is published before the first card, and what
is derived from the hands after the last one. ``store`` writes these files, ``verify`` compares them.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from dealer.deck import acpc_match_seed
from dealer.errors import RecordError
from dealer.luck.value import shipped_value
from dealer.match import Session
from dealer.records.acpc import AcpcLog, log_header
from dealer.records.phh import phh_hand, verify_phh
from dealer.rules.events import Acted, Event
from dealer.scoring import Scores, net_by_seat
from dealer.standings import standings_data, standings_markdown
from server.competition.file import Competition
from server.competition.luck import DivisionLuck, hand_game
from server.telemetry.incidents import FORCED_INCIDENTS, REPORTED_IF_ANY, Incident, IncidentCounts


def initial_files(competition: Competition, *, luck: bool = True) -> Iterator[tuple[str, str]]:
    """Yield the files, besides the competition file, written before the first card, as (name, text).

    ``luck``: results without luck will be computed, so the value function is published, too.
    """
    for division, game in competition.games.items():
        yield f"games/{division}.game", game.text()
    published = {
        "commitment": competition.commitment,
        "deck": competition.entry.deck,
        **({"value_function": shipped_value().digest} if luck else {}),
    }
    yield "commitment.json", _json(published)


def final_files(
    competition: Competition,
    hands_of: Callable[[Session], Sequence[Sequence[Event]]],
    incidents: IncidentCounts,
    places: Mapping[str, Sequence[int]],
    *,
    luck: bool = True,
) -> Iterator[tuple[str, str]]:
    """Yield the files that are written after the last card, as (name, text): seed, records, hidden
    names, incidents, standings.

    ``hands_of`` returns the hands of a session; it is called once for each, in order. ``places`` are the
    finishing orders of tournaments; they are read after the last such call. ``luck``: with results without
    luck. For ``incidents`` that leave a
    trace in the hands, the hands are authoritative. Raises ``ScoreError``, and whatever ``hands_of`` raises.
    """
    yield "seed.json", _json({"deck": competition.entry.deck, "seed": competition.seed_text})
    if competition.names_hidden:
        yield "names.json", _json(dict(_hidden_names(competition)))
    scores = {
        name: Scores(division, competition.chips_per_unit(name))
        for name, division in competition.divisions.items()
    }
    # The decisions by division and bot, then by the reason why the table made them ("": the bot's own).
    made: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    lucky = {name: DivisionLuck(competition, name) for name in competition.divisions} if luck else {}
    for session in competition.sessions:
        hands = hands_of(session)
        scores[session.division].add(session, net_chips(competition, session, hands))
        if luck:
            lucky[session.division].add(session, hands)
        for events in hands:
            for event in events:
                if isinstance(event, Acted):
                    made[session.division, session.players[event.seat]][event.forced] += 1
        for suffix, text in exports(competition, session, hands):
            yield f"hands/{session.name}{suffix}", text
    if places:
        yield "places.json", _json(places)
    bots = {"": competition.bots, **{name: division.bots for name, division in competition.divisions.items()}}
    counted = {
        division: {bot: _corrected_incidents(incidents, division, bot, made[division, bot]) for bot in names}
        for division, names in bots.items()
    }
    yield "incidents.json", _json(counted)
    decisions = {
        name: {bot: _decisions(made[name, bot]) for bot in division.bots}
        for name, division in competition.divisions.items()
    }
    yield from _standings(competition, scores, counted, decisions, lucky)


def _hidden_names(competition: Competition) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield each session's name during play, with its plain name and the players by the names that were
    shown. They follow from the seed, so they tell nothing new once that is published.
    """
    for session in competition.sessions:
        name, shown = competition.public_names(session)
        yield name, {"session": session.name, "players": dict(zip(shown, session.players, strict=True))}


def _corrected_incidents(
    incidents: IncidentCounts, division: str, bot: str, made: Mapping[str, int]
) -> dict[str, int]:
    noted = incidents.get(division, {}).get(bot, {})
    forced = {kind: count for kind, count in made.items() if kind}
    return {**{kind: count for kind, count in noted.items() if kind not in FORCED_INCIDENTS}, **forced}


def _decisions(made: Counter[str]) -> dict[str, int]:
    return {"all": made.total(), "forced": made.total() - made[""]}


def _json(data: Any) -> str:
    return json.dumps(data, indent=1, sort_keys=True) + "\n"


def _standings(
    competition: Competition,
    scores: Mapping[str, Scores],
    incidents: IncidentCounts,
    decisions: Mapping[str, Mapping[str, Mapping[str, int]]],
    luck: Mapping[str, DivisionLuck],
) -> Iterator[tuple[str, str]]:
    general = sorted(incidents[""].items())
    data: dict[str, Any] = {
        "competition": competition.name,
        "connections": {bot: dict(sorted(counts.items())) for bot, counts in general if counts},
        "divisions": [
            standings_data(
                scored,
                {
                    bot: _incident_summary(counts) | (luck[name].incidents(bot) if luck else {})
                    for bot, counts in incidents[name].items()
                },
                decisions[name],
                tournament=competition.is_tournament(name),
                without_luck=luck[name].data(scored) if luck else None,
            )
            for name, scored in scores.items()
        ],
    }
    yield "standings.json", json.dumps(data, indent=1) + "\n"
    parts = [f"# {competition.name}\n", *map(standings_markdown, data["divisions"])]
    yield "standings.md", "\n".join(parts)


def _incident_summary(counts: Mapping[str, int]) -> dict[str, int]:
    """Return the incidents of a bot for the standings. Kinds that are not an ``Incident`` are codes of
    refusals.
    """
    kinds = frozenset(Incident)
    return {
        "timeouts": counts.get(Incident.TIMEOUT, 0),
        "refusals": sum(count for kind, count in counts.items() if kind not in kinds),
        "disconnections": counts.get(Incident.DISCONNECT, 0),
        "policy_actions": sum(counts.get(kind, 0) for kind in FORCED_INCIDENTS),
        **{kind.value: counts[kind] for kind in REPORTED_IF_ANY if counts.get(kind)},
    }


def exports(
    competition: Competition, session: Session, hands: Sequence[Sequence[Event]]
) -> Iterator[tuple[str, str]]:
    """Yield the hands of a session in other formats, as (suffix, text)."""
    game = competition.games[session.division]
    seed = acpc_match_seed(competition.seed, session.match) if isinstance(competition.seed, int) else 0
    log = AcpcLog(game, session.players)
    lines = [log_header(session.name, f"{session.division}.game", len(hands), seed)]
    lines += [log.hand(events) for events in hands]
    lines.append(log.score().text())
    yield ".log", "".join(lines)
    try:
        verify_phh(game)
    except RecordError:
        return
    table = session.name
    phhs = (phh_hand(i, events, hand_game(competition, session, events), session.players, table=table)
            for i, events in enumerate(hands, 1))  # fmt: skip
    yield ".phhs", "".join(phhs)


def net_chips(
    competition: Competition, session: Session, hands: Sequence[Sequence[Event]]
) -> list[list[float]]:
    """Return net chips by hand and seat; for a tournament, a single row with the total by seat."""
    rows = [net_by_seat(events, len(session.players)) for events in hands]
    if competition.is_tournament(session.division):
        return [[sum(column) for column in zip(*rows, strict=True)]]
    return rows
