"""Simulated results with a known truth, for the tests of scoring."""

from __future__ import annotations

import random
from collections.abc import Mapping

from dealer.match import Division, line_ups, plan_sessions, position_of
from dealer.scoring import Scores

BIG_BLIND = 10

Skills = Mapping[str, float]


def bots_division(skills: Skills, players: int, *, matches: int, hands: int) -> Division:
    return Division("sim", tuple(skills), players, matches, hands)


def simulate(division: Division, skills: Skills, seed: int) -> Scores:
    """Every result is the bot's skill, the luck of its cards, its own way with this deal (the same in every
    line-up and at every seating), and some noise, less the mean of the table.
    """
    source = random.Random(seed)
    positions = range(division.players)
    deals = [(match, hand) for match in range(division.matches) for hand in range(division.hands)]
    luck = {deal: [source.gauss(0, 100) for _ in positions] for deal in deals}
    way = {(deal, bot): source.gauss(0, 20) for deal in deals for bot in division.bots}
    scores = Scores(division, BIG_BLIND)
    for session in plan_sessions(division):
        rows = []
        for hand in range(session.hands):
            deal = (session.match, hand)
            raw = [
                skills[bot]
                + luck[deal][position_of(seat, hand, division.players)]
                + way[deal, bot]
                + source.gauss(0, 5)
                for seat, bot in enumerate(session.players)
            ]
            mean = sum(raw) / len(raw)
            rows.append([value - mean for value in raw])
        scores.add(session, rows)
    return scores


def true_rate(bot: str, division: Division, skills: Skills, *against: str) -> float:
    """A bot's mbb/hand in the line-ups with it and all of ``against``, if luck had no part in it."""
    met = [
        line_up for line_up in line_ups(division.bots, division.players) if {bot, *against} <= set(line_up)
    ]
    margins = [skills[bot] - sum(skills[other] for other in line_up) / len(line_up) for line_up in met]
    return sum(margins) / len(margins) * 1000 / BIG_BLIND
