"""What is published of ratings: one row a bot, best first, as plain data."""

from __future__ import annotations

from math import log10, sqrt
from statistics import NormalDist
from typing import Any, Final

from dealer.ratings.model import METHOD, Ratings
from dealer.ratings.ranks import chance_ahead, rank_intervals

#: Length of the match whose winner the Elo figure predicts.
ELO_HANDS: Final = 1000
_SUREST = 1e-6
_DIGITS = 3


def published_ratings(ratings: Ratings, hands: int) -> dict[str, Any]:
    """Return the ratings as data for JSON. ``hands``: the hands of a deal set, over all its seatings.

    ``bots``, best first, has a row a bot: ``bot``; ``rating`` and ``half`` (mbb/hand, 95 %; ``half`` is null
    while nothing is known); ``deal_sets``; ``ranks`` (best and worst, all bots' intervals hold jointly in
    95 % of cases); ``ahead`` (the chance to be truly ahead of the next row's bot); ``worst`` (the opponent
    with the lowest result: ``bot``, ``mean``, ``half``); ``elo``. ``interaction`` has ``deviation``,
    ``share`` and ``p_value``. Everything is rounded to a thousandth, so all machines agree.
    """
    ranks = rank_intervals(ratings)
    order = sorted(
        ratings.field, key=lambda bot: (ratings.rating(bot).half is None, -ratings.rating(bot).mean, bot)
    )
    rows = []
    for place, bot in enumerate(order):
        rating = ratings.rating(bot)
        worst = ratings.worst_opponent(bot)
        known = rating.half is not None
        after = order[place + 1] if place + 1 < len(order) else None
        rows.append(
            {
                "bot": bot,
                "rating": _rounded(rating.mean) if known else None,
                "half": _rounded(rating.half),
                "deal_sets": rating.units,
                "ranks": list(ranks[bot]),
                "ahead": _rounded(chance_ahead(ratings, bot, after)) if known and after else None,
                "worst": None
                if worst is None
                else {"bot": worst[0], "mean": _rounded(worst[1].mean), "half": _rounded(worst[1].half)},
                "elo": round(_elo(ratings, bot, hands)) if known else None,
            }
        )
    found = ratings.interaction()
    return {
        "method": METHOD,
        "unit": "mbb/hand",
        "players": ratings.players,
        "bots": rows,
        "interaction": {
            "deviation": _rounded(found.deviation),
            "share": _rounded(found.share),
            "p_value": None if found.p_value is None else float(f"{found.p_value:.3g}"),
        },
    }


def _elo(ratings: Ratings, bot: str, hands: int) -> float:
    """Return the Elo difference from an average opponent that fits the chance to win ``ELO_HANDS`` hands of
    duplicate poker: a display, from which nothing is computed.
    """
    tables = [
        line_up
        for line_up, _ in ratings.results.among(ratings.field)
        if bot in line_up and len(line_up) == ratings.players
    ]
    variances = [ratings.deviation(line_up)[line_up.index(bot)] ** 2 for line_up in tables]
    if not variances:
        return 0.0
    deviation = sqrt(sum(variances) / len(variances))
    ahead = ratings.rating(bot).mean * sqrt(ELO_HANDS / hands) / max(deviation, _SUREST)
    chance = min(max(NormalDist().cdf(ahead), _SUREST), 1 - _SUREST)
    return 400 * log10(chance / (1 - chance))


def _rounded(value: float | None) -> float | None:
    # Adding 0 turns -0.0 into 0.0.
    return None if value is None else round(value, _DIGITS) + 0.0
