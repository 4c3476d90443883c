"""The standings of a division: as plain data for ``standings.json``, and from that data as Markdown to read.

The same results give the same bytes: no time stamps, fixed decimals, a fixed order. The data is

* ``division``, ``players``, ``unit`` (``hand``, or ``tournament``: then read "hand" as a whole tournament and
  "big blind" as the starting stack), ``big_blind``, ``bots``, ``hands`` (in all), ``complete``, and
  ``format``: ``line_ups``, ``matches``, ``seatings``, ``hands`` (each session);
* ``ranking`` by total bankroll: ``place``, ``tied``, ``bot``, ``chips``, ``hands``, ``rate`` (an estimate),
  ``ahead`` (estimate of how much more it won than the next in the ranking; null for the last);
* ``run_off``: ``ranking`` (``place``, ``tied``, ``bot``, ``chips``) and ``rounds``, each with the
  ``bankrolls`` by bot, the bots ``dropped`` and ``margin`` (estimate of what the next above them won more);
  null until all line-ups have met, and where not all of them play;
* ``crosstable``: row bot, then column bot: estimate of the row's result in the line-ups that contain the
  column;
* ``crosstable_decided``: of how many ``cells`` there is an interval (heads-up a cell and its mirror image are
  one), how many of them are ``decided``, and how many would be ``by_chance``, on average, if all bots played
  alike;
* ``interval_unit``: ``deal``, ``match`` or ``series``, what estimates count as independent;
* ``incidents``: bot, then what happened, then how often;
* ``decisions``: bot, then how many it had to make (``all``), and how many of them the table made for it
  (``forced``); ``marked``: the bots for which these are more than one in ``MARKED``;
* ``without_luck``, only where it was computed: the same results less what cards and declared dice brought.
  ``value_function``: its SHA-256; ``ranking``, in the same order: ``bot``, ``rate`` and ``ahead``;
  ``crosstable``; ``declared``: by bot, for those that declare the chances of their actions, how many
  ``decisions``, the ``p`` of what they played if it is true (null with too few), and whether it is
  ``believed``, and so used.

An estimate is ``mbb`` (mbb/hand), ``ci95`` (half width of its 95 % interval, null with too few units),
``units`` (deals, matches or series) and ``decided``: whether the interval leaves out 0. Estimates that cannot
be made are null.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations, pairwise, permutations, zip_longest
from math import inf
from typing import Any

from dealer.errors import ScoreError
from dealer.intervals import CONFIDENCE, MIN_UNITS, Interval
from dealer.luck.declared import DeclaredChances
from dealer.runoff import Place, RunOff, RunOffRound
from dealer.scoring import Scores

#: Incidents that are always listed, in this order; others follow in alphabetical order.
INCIDENTS = ("timeouts", "refusals", "disconnections", "policy_actions")

#: A bot is marked if the table made more than one in so many of its decisions.
MARKED_FROM = 100


def standings_data(
    scores: Scores,
    incidents: Mapping[str, Mapping[str, int]] | None = None,
    decisions: Mapping[str, Mapping[str, int]] | None = None,
    *,
    tournament: bool = False,
    without_luck: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Return the standings as dicts, lists, strings, numbers, booleans and None.

    ``incidents``: for each bot, the counts of incidents. ``decisions``: for each bot ``all`` and ``forced``.
    ``tournament``: a "hand" is a whole tournament, and a "big blind" the starting stack. ``without_luck``:
    see ``luck_data``. Raises ``ScoreError``: ``nothing_to_score``, ``unknown_bot`` (counts for a bot that
    does not play).
    """
    division = scores.division
    if not scores.matches_scored:
        raise ScoreError("nothing_to_score", f"no match of division {division.name} is complete")
    counts = incidents or {}
    made = {bot: {"all": 0, "forced": 0, **(decisions or {}).get(bot, {})} for bot in division.bots}
    for bot in (*counts, *(decisions or {})):
        if bot not in division.bots:
            raise ScoreError("unknown_bot", f"{bot!r} does not play in division {division.name}")
    cells = {pair: scores.cell(*pair) for pair in permutations(division.bots, 2)}
    return {
        "division": division.name,
        "players": division.players,
        "big_blind": _number(scores.big_blind),
        "bots": list(division.bots),
        "hands": scores.hands_scored,
        "unit": "tournament" if tournament else "hand",
        "complete": scores.complete,
        "format": {
            "line_ups": len(scores.line_ups),
            "matches": division.matches,
            "seatings": division.seatings,
            "hands": division.hands,
        },
        "ranking": _ranking(scores),
        "run_off": _run_off(scores),
        "crosstable": {
            row: {column: _estimate(cells[row, column]) for column in division.bots if column != row}
            for row in division.bots
        },
        "crosstable_decided": _count_decided(cells, division.players),
        "interval_unit": division.interval_unit,
        "incidents": {bot: dict(sorted(counts.get(bot, {}).items())) for bot in division.bots},
        "decisions": made,
        "marked": [bot for bot, count in made.items() if MARKED_FROM * count["forced"] > count["all"]],
        **({} if without_luck is None else {"without_luck": without_luck}),
    }


def luck_data(
    raw: Scores, corrected: Scores, value_function: str, declared: Mapping[str, DeclaredChances]
) -> dict[str, Any]:
    """Return ``without_luck`` for the standings of ``raw``: ``corrected`` are the scores of the same sessions
    without luck, ``value_function`` is its digest.
    """
    ranking = raw.ranking()
    bots = raw.division.bots
    return {
        "value_function": value_function,
        "ranking": [
            {
                "bot": place.bot,
                "rate": _estimate(corrected.rate(place.bot)),
                "ahead": _estimate(corrected.difference(place.bot, after.bot)) if after else None,
            }
            for place, after in zip_longest(ranking, ranking[1:])
        ],
        "crosstable": {
            row: {column: _estimate(corrected.cell(row, column)) for column in bots if column != row}
            for row in bots
        },
        "declared": {bot: told.data() for bot, told in sorted(declared.items()) if told.decisions},
    }


def _ranking(scores: Scores) -> list[dict[str, Any]]:
    ranking = scores.ranking()
    return [
        {
            **_place(place, ranking),
            "hands": scores.hands_of(place.bot),
            "rate": _estimate(scores.rate(place.bot)),
            "ahead": _estimate(scores.difference(place.bot, after.bot)) if after else None,
        }
        for place, after in zip_longest(ranking, ranking[1:])
    ]


def _run_off(scores: Scores) -> dict[str, Any] | None:
    try:
        result: RunOff = scores.run_off()
    except ScoreError:
        return None
    last = [place.bot for place in result.rounds[-1].ranking]
    return {
        "ranking": [
            {
                **_place(place, result.ranking),
                "ahead": _estimate(scores.difference(place.bot, after, among=last)) if after else None,
            }
            for place, after in zip_longest(result.ranking, last[1:])
        ],
        "rounds": [
            {
                "bankrolls": {place.bot: _number(place.chips) for place in played.ranking},
                "dropped": list(played.dropped),
                "margin": _estimate(_margin(scores, played)),
            }
            for played in result.rounds
        ],
    }


def _margin(scores: Scores, played: RunOffRound) -> Interval | None:
    """Return how much more the last of the remaining bots won than the eliminated ones; of several, the least
    certain.
    """
    bots = [place.bot for place in played.ranking]
    stay = [bot for bot in bots if bot not in played.dropped]
    margins = [scores.difference(stay[-1], bot, among=bots) for bot in played.dropped]
    known = [margin for margin in margins if margin is not None]
    return max(known, key=lambda margin: inf if margin.half is None else margin.half) if known else None


def _count_decided(cells: Mapping[tuple[str, str], Interval | None], players: int) -> dict[str, Any]:
    """Return how many cells are decided, and how many intervals would miss the truth by chance."""
    pairs = combinations({row: None for row, _ in cells}, 2) if players == 2 else cells
    found = [cell for cell in map(cells.get, pairs) if cell is not None and cell.half is not None]
    return {
        "cells": len(found),
        "decided": sum(cell.decided for cell in found),
        "by_chance": round((1 - CONFIDENCE) * len(found), 2),
    }


def _place(place: Place, ranking: Sequence[Place]) -> dict[str, Any]:
    tied = sum(other.place == place.place for other in ranking) > 1
    return {"place": place.place, "tied": tied, "bot": place.bot, "chips": _number(place.chips)}


def _number(value: float) -> float:
    """Round to a millionth; whole numbers become integers."""
    rounded = round(value, 6)
    return int(rounded) if rounded == int(rounded) else rounded


def _estimate(interval: Interval | None) -> dict[str, Any] | None:
    if interval is None:
        return None
    return {
        "mbb": round(interval.mean, 3) + 0.0,
        "ci95": None if interval.half is None else round(interval.half, 3),
        "units": interval.units,
        "decided": interval.decided,
    }


def standings_markdown(data: Mapping[str, Any]) -> str:
    """Return the standings as Markdown, aligned for terminals, with a newline at the end.

    ``data`` is the result of ``standings_data``, or the same read from JSON.
    """
    suffix = "" if data["players"] == 2 else " in the line-ups that contain the column's bot"
    run_off = data["run_off"]
    parts = [
        f"## {data['division']}",
        _format_text(data),
        "### Total bankroll",
        _bankroll_table(data),
        *_marked_text(data),
        *_luck_text(data),
        *(["### Bankroll instant run-off", _run_off_table(run_off), _last_round(run_off)] if run_off else []),
        f"### Crosstable: the row's mbb/hand{suffix}",
        _crosstable(data),
        *_decided_text(data),
        _legend(data),
        "### Incidents",
        _incidents_table(data),
    ]
    return "\n\n".join(parts) + "\n"


def _format_text(data: Mapping[str, Any]) -> str:
    shape = data["format"]
    played = "" if data["complete"] else f" {data['hands']} hands scored so far."
    stake = f"hands a seating: {shape['hands']}. Big blind: {_chips(data['big_blind'], '')}."
    if data["unit"] == "tournament":
        stake = (
            f"a tournament each. Starting stack: {_chips(data['big_blind'], '')}; hand stands for "
            "tournament, and mbb for a thousandth of that stack."
        )
    return (
        f"Bots: {len(data['bots'])}, at tables of {data['players']}. Line-ups: {shape['line_ups']}, "
        f"matches each: {shape['matches']}, seatings: {shape['seatings']}, {stake}{played}"
    )


def _marked_name(bot: str, data: Mapping[str, Any]) -> str:
    return f"{bot} !" if bot in data["marked"] else bot


def _marked_text(data: Mapping[str, Any]) -> list[str]:
    """Return the warning about marked bots, if there are any."""
    if not data["marked"]:
        return []
    counts = ((bot, data["decisions"][bot]) for bot in data["marked"])
    forced = "; ".join(f"{bot} {count['forced']} of {count['all']}" for bot, count in counts)
    text = (
        f"`!`: more than 1 in {MARKED_FROM} decisions were not the bot's own. It was late or absent, and"
        f" the table checked or folded for it: {forced}. What it lost, and what others won from it, says"
        " little."
    )
    return [text]


def _bankroll_table(data: Mapping[str, Any]) -> str:
    ranking = data["ranking"]
    rows = [
        [
            _place_text(entry),
            _marked_name(entry["bot"], data),
            _chips(entry["chips"]),
            str(entry["hands"]),
            _estimate_text(entry["rate"]),
            _ahead_text(entry, after),
        ]
        for entry, after in zip_longest(ranking, ranking[1:])
    ]
    return _markdown_table(
        ["place", "bot", "chips", "hands", "mbb/hand", "ahead of the next by"], rows, left={1}
    )


def _luck_text(data: Mapping[str, Any]) -> list[str]:
    """Return the results without luck, if they are known."""
    found = data.get("without_luck")
    if found is None:
        return []
    rows = [
        [
            _marked_name(raw["bot"], data),
            _estimate_text(raw["rate"]),
            _estimate_text(entry["rate"]),
            _estimate_text(entry["ahead"]),
            _declared_text(found["declared"].get(raw["bot"])),
        ]
        for raw, entry in zip(data["ranking"], found["ranking"], strict=True)
    ]
    header = ["bot", "mbb/hand", "without luck", "ahead of the next by", "its dice"]
    text = (
        "`without luck`: less what the cards brought, and the dice of bots that declare the chances of their"
        f" actions. Value function: {found['value_function'][:16]}."
    )
    return ["### Without luck", _markdown_table(header, rows, left={0, 4}), text]


def _declared_text(declared: Mapping[str, Any] | None) -> str:
    if declared is None:
        return "not declared"
    return "declared" if declared["believed"] else f"declared, not believed (p = {declared['p']:.1e})"


def _run_off_table(run_off: Mapping[str, Any]) -> str:
    """Format as in Gloeckner 2013, Table 2: a row per round, a column per bot, best first; ``-`` after
    elimination.
    """
    ranking = run_off["ranking"]
    bots = [entry["bot"] for entry in ranking]
    rows = [
        [
            str(number),
            *(_chips(played["bankrolls"][bot]) if bot in played["bankrolls"] else "-" for bot in bots),
            ", ".join(played["dropped"]),
            _estimate_text(played["margin"]),
        ]
        for number, played in enumerate(run_off["rounds"], 1)
    ]
    rows.append(["place", *map(_place_text, ranking), "", ""])
    return _markdown_table(["round", *bots, "out", "behind the next by"], rows, left={len(bots) + 1})


def _ahead_text(entry: Mapping[str, Any], after: Mapping[str, Any] | None) -> str:
    """Return how far a bot is ahead of the next in the ranking; neither of two tied bots is."""
    ahead = entry["ahead"]
    if ahead and after and entry["place"] == after["place"]:
        return f"level {_half_text(ahead)}"
    return _estimate_text(ahead)


def _last_round(run_off: Mapping[str, Any]) -> str:
    pairs = [_comparison(better, worse) for better, worse in pairwise(run_off["ranking"]) if better["ahead"]]
    return f"The last round (mbb/hand): {'; '.join(pairs)}."


def _comparison(better: Mapping[str, Any], worse: Mapping[str, Any]) -> str:
    """Return who is ahead of whom, claiming no more than is known."""
    ahead = better["ahead"]
    if better["place"] == worse["place"]:
        return f"{better['bot']} is level with {worse['bot']} ({_half_text(ahead)})"
    doubt = "" if ahead["decided"] else " (not decided)"
    return f"{better['bot']} is {_signed(ahead['mbb'])} {_half_text(ahead)} ahead of {worse['bot']}{doubt}"


def _crosstable(data: Mapping[str, Any]) -> str:
    bots = [entry["bot"] for entry in data["ranking"]]
    cells = data["crosstable"]
    rows = [
        [
            _marked_name(row, data),
            *("" if row == column else _estimate_text(cells[row][column]) for column in bots),
        ]
        for row in bots
    ]
    return _markdown_table(["", *(_marked_name(bot, data) for bot in bots)], rows, left={0})


def _decided_text(data: Mapping[str, Any]) -> list[str]:
    found = data["crosstable_decided"]
    if not found["cells"]:
        return []
    what = "pairs" if data["players"] == 2 else "cells"
    text = f"Decided: {found['decided']} of {found['cells']} {what}."
    return [f"{text} If all bots played alike, chance would decide {found['by_chance']:g} on average."]


def _legend(data: Mapping[str, Any]) -> str:
    unit = data["interval_unit"]
    return (
        f"`±`: 95 % interval, from {MIN_UNITS} units on; its unit is the {unit} in all seatings and"
        " line-ups.\n"
        "`?`: undecided, it contains 0 or is not known. `=`: tied.\n"
        "mbb/hand: thousandths of a big blind won per hand."
    )


def _incidents_table(data: Mapping[str, Any]) -> str:
    counts = data["incidents"]
    if not any(count for happened in counts.values() for count in happened.values()):
        return "None."
    others = {kind for happened in counts.values() for kind in happened} - set(INCIDENTS)
    kinds = [*INCIDENTS, *sorted(others)]
    rows = [[bot, *(str(counts[bot].get(kind, 0)) for kind in kinds)] for bot in data["bots"]]
    return _markdown_table(["bot", *(kind.replace("_", " ") for kind in kinds)], rows, left={0})


def _place_text(entry: Mapping[str, Any]) -> str:
    return f"{entry['place']}{'=' if entry['tied'] else ''}"


def _chips(value: float, sign: str = "+") -> str:
    """Format chips with at most two decimals, none for whole numbers; 0 has no sign."""
    text = f"{value:{sign}.2f}".rstrip("0").rstrip(".")
    return "0" if text in ("+0", "-0") else text


def _estimate_text(estimate: Mapping[str, Any] | None) -> str:
    if estimate is None:
        return ""
    undecided = "" if estimate["decided"] else " ?"
    return f"{_signed(estimate['mbb'])} {_half_text(estimate)}{undecided}"


def _signed(mbb: float) -> str:
    """Zero is neither gain nor loss."""
    return f"{mbb:+.1f}" if mbb else "0.0"


def _half_text(estimate: Mapping[str, Any]) -> str:
    return "± ?" if estimate["ci95"] is None else f"± {estimate['ci95']:.1f}"


def _markdown_table(header: Sequence[str], rows: Sequence[Sequence[str]], left: set[int]) -> str:
    """Return a Markdown table with columns of even width; the columns ``left`` are text, the others
    numbers.
    """
    widths = [max(3, *map(len, column)) for column in zip(header, *rows, strict=True)]

    def line(cells: Sequence[str]) -> str:
        padded = [
            cell.ljust(width) if i in left else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(cells, widths, strict=True))
        ]
        return f"| {' | '.join(padded)} |"

    rule = ["-" * width if i in left else "-" * (width - 1) + ":" for i, width in enumerate(widths)]
    return "\n".join([line(header), line(rule), *map(line, rows)])
