"""How much luck the host takes out: the standard deviation of a deal set's result, raw and corrected.

    python -m benchmarks.luck [--sets 1000] [--learn FILE [--archive 2000]]

House bots play line-ups of ``CONTESTS``. A deal set is one deal in all seatings; its result a bot's mean, in
mbb/hand. Ratios are to raw duplicate, with 95 % intervals from a bootstrap over deal sets. ``--learn`` makes
the value function from other deals of the same line-ups first, measures with it, and writes it; without it
the shipped one is measured, whose deals differ from those measured, too.

What can be had at all: with the same cards twice, other dice make 28 % of the variance of ``fair`` against
``adaptive2`` and 24 % against ``cfr`` (120 pairs of hands with 6 boards each; the pairs alone make none).
So cards alone, if perfectly valued, leave at most about 0.53 and 0.49 there. Of ``nolimit`` against itself:
its own dice are at least 35 % of the variance, so cards alone, however well valued, leave about 0.6. With
the dice a perfect function would leave nothing, but it would have to know the bot: half of the squared
error is in what it answers to a bet on the river, by all cards and the betting. Nets (4,400 numbers)
learned from 6,000 deal sets of this line-up alone leave 0.89 by cards and 0.63 with dice on 1,000 others,
and still 0.82 and 0.55 on those that they learned from.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dealer.luck.correction import hand_luck
from dealer.luck.value import TERMS, ValueFunction, parse_value, shipped_value, value_text
from dealer.match import Division
from dealer.rules.events import Event
from dealer.rules.games import Game, holdem
from studies.harness.arena import Contest, ContestEntry, FixedTable

Floats = NDArray[np.float64]

_BLINDS = 50, 100
_DEPTH = 10_000
_MATCH = 250
"""Hands of a match: bots that learn forget after it."""
_MEASURED, _LEARNED = 1, 2
"""Seeds of the deals."""
_RIDGE = 3e-3
_RESAMPLES = 500

_HEADS_UP = (
    ("fair", "cfr"), ("loki1", "cfr"), ("loki2", "cfr"), ("adaptive2", "cfr"), ("akuma", "cfr"),
    ("fair", "adaptive2"), ("fair", "loki1"), ("fair", "loki2"), ("ownbot", "cfr"),
    ("nolimit", "nolimit"), ("nolimit", "cfr"), ("cfr", "cfr"),
)  # fmt: skip
_LIMIT = (("fair", "cfr"), ("loki1", "cfr"), ("adaptive2", "cfr"), ("fair", "loki2"))
_SIX = (("fair", "loki1", "adaptive2", "ownbot", "cfr", "hbb5"),)
CONTESTS: dict[str, tuple[bool, tuple[tuple[str, ...], ...]]] = {
    "no-limit, 100 big blinds, heads-up": (False, _HEADS_UP),
    "limit, heads-up": (True, _LIMIT),
    "no-limit, 100 big blinds, six players": (False, _SIX),
}
"""By name: whether limit, and the line-ups."""
DECLARING = frozenset(("cfr", "hbb5", "nolimit", "ownbot"))
"""The bots of them that declare their chances."""


class Sets(NamedTuple):
    """The deal sets of a line-up, in chips a hand, by bot and set: ``single`` (the first seating), ``won``,
    the same less luck by the base alone: of ``cards``, and of dice, too (``all``); and the terms of both,
    float[bots, sets, TERMS].
    """

    single: Floats
    won: Floats
    cards: Floats
    all: Floats
    card_terms: Floats
    all_terms: Floats


class Job(NamedTuple):
    """Deal sets to be played."""

    limit: bool
    bots: tuple[str, ...]
    match: int
    hands: int
    seed: int


def contest_game(limit: bool, players: int) -> Game:
    """Return the game of a contest."""
    return holdem(players, *_BLINDS, limit=limit, stack=None if limit else _DEPTH, rules="acpc")


def play(job: Job) -> Sets:
    """Play one match in all seatings (rotations, with more than two players)."""
    players = len(job.bots)
    game = contest_game(job.limit, players)
    # A bot may play itself.
    names = {bot + "-again" * job.bots[:number].count(bot): bot for number, bot in enumerate(job.bots)}
    division = Division("luck", tuple(names), players, job.match + 1, job.hands, "rotations")
    entries = {name: ContestEntry(bot) for name, bot in names.items()}
    contest = Contest(division, FixedTable(game), entries, job.seed)
    order = list(names)
    shape = players, job.hands
    single, won, cards, every = (np.zeros(shape) for _ in range(4))
    terms = np.zeros((2, *shape, TERMS))
    sessions = contest.match(job.match)
    hands: list[list[list[Event]]] = []
    for session in sessions:
        played: list[list[Event]] = []
        contest.play(session, lambda events, played=played: played.append(list(events)))  # type: ignore[misc]
        hands.append(played)
    # Deal by deal, so that all seatings share what is known of the cards.
    for number in range(job.hands):
        for session, recorded in zip(sessions, hands, strict=True):
            events = recorded[number]
            luck = hand_luck(game, events)
            seats = events[0].seats  # type: ignore[union-attr]
            who = [order.index(session.players[seat]) for seat in seats]
            share = 1 / len(sessions)
            for position, bot in enumerate(who):
                if session.seating == 0:
                    single[bot, number] = luck.won[position]
                dice = sum(source.base[position] for source in luck.dice.values())
                net = luck.won[position] - luck.cards.base[position]
                won[bot, number] += share * luck.won[position]
                cards[bot, number] += share * net
                every[bot, number] += share * (net - dice)
            for first, bot in zip((1, -1), luck.pair, strict=True):
                if luck.cards.terms:
                    terms[:, who[bot], number] += first * share * np.array(luck.cards.terms)
                for source in luck.dice.values():
                    if source.terms:
                        terms[1, who[bot], number] += first * share * np.array(source.terms)
    return Sets(single, won, cards, every, terms[0], terms[1])


def play_all(pool: ProcessPoolExecutor, limit: bool, bots: tuple[str, ...], sets: int, seed: int) -> Sets:
    """Play as many deal sets, in matches."""
    jobs = [
        Job(limit, bots, match, min(_MATCH, sets - match * _MATCH), seed)
        for match in range(-(-sets // _MATCH))
    ]
    return Sets(*(np.concatenate(parts, axis=1) for parts in zip(*pool.map(play, jobs), strict=True)))


def learn(archive: Sequence[Sets]) -> Floats:
    """Return the weights with the least variance of corrected results, by ridge regression: float[TERMS].

    Every line-up counts as much as its results spread. The first bot's results stand for both of two.
    """
    rows, targets = [], []
    for sets in archive:
        for bot in range(1 if len(sets.won) == 2 else len(sets.won)):
            for terms, net in ((sets.card_terms, sets.cards), (sets.all_terms, sets.all)):
                rows.append(terms[bot])
                targets.append(net[bot] - net[bot].mean())
    matrix, target = np.concatenate(rows), np.concatenate(targets)
    scale = np.sqrt((matrix**2).mean(axis=0))
    used = scale > 1e-9
    normal = matrix[:, used] / scale[used]
    weights = np.zeros(TERMS)
    square = normal.T @ normal + _RIDGE * len(target) * np.eye(int(used.sum()))
    weights[used] = np.linalg.solve(square, normal.T @ target) / scale[used]
    return weights


def ratio(raw: Floats, corrected: Floats) -> tuple[float, float, float]:
    """Return the ratio of standard deviations (float[bots, sets]; root mean square over bots), and its
    interval.
    """

    def of(chosen: NDArray[Any]) -> float:
        return float(np.sqrt(corrected[:, chosen].var(axis=1).sum() / raw[:, chosen].var(axis=1).sum()))

    random, many = np.random.default_rng(0), raw.shape[1]
    found = [of(random.integers(0, many, (many,))) for _ in range(_RESAMPLES)]
    low, high = np.quantile(found, (0.025, 0.975))
    return of(np.arange(many)), float(low), float(high)


def lines(name: str, played: Sequence[tuple[tuple[str, ...], Sets]], weights: Floats) -> Iterator[str]:
    """Yield the table of a contest."""
    yield f"{name}: standard deviations in mbb/hand, and ratios to duplicate"
    yield "| line-up | hand | duplicate | equity alone | cards | cards and declared dice | mean changes by |"
    yield "|---|---:|---:|---:|---:|---:|---:|"
    to_mbb = 1000 / max(_BLINDS)
    variances: list[list[float]] = []
    for bots, sets in played:
        cards = sets.cards - sets.card_terms @ weights
        every = sets.all - sets.all_terms @ weights
        shown = [f"{part:.3f} ({low:.3f} to {high:.3f})" for part, low, high in (
            ratio(sets.won, sets.cards), ratio(sets.won, cards), ratio(sets.won, every)
        )]  # fmt: skip
        change = every - sets.won
        error = change[0].std() / np.sqrt(change.shape[1])
        spread = [float(np.sqrt(one.var(axis=1).mean())) * to_mbb for one in (sets.single, sets.won)]
        yield (
            f"| {' '.join(bots)} | {spread[0]:,.0f} | {spread[1]:,.0f} | {' | '.join(shown)} |"
            f" {change[0].mean() * to_mbb:+.0f} ± {1.96 * error * to_mbb:.0f} |"
        )
        variances.append([float(one.var(axis=1).mean()) for one in (sets.won, cards, every)])
    for what, chosen in (
        ("all together", [True] * len(played)),
        ("where all declare", [DECLARING.issuperset(bots) for bots, _ in played]),
    ):
        if any(chosen):
            raw, cards_all, every_all = np.array(variances)[chosen].sum(axis=0)
            yield (
                f"{what}: {np.sqrt(cards_all / raw):.3f}; with declared dice {np.sqrt(every_all / raw):.3f}"
            )


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--sets", type=int, default=1000)
    parser.add_argument("--learn", type=Path)
    parser.add_argument("--archive", type=int, default=2000)
    chosen = parser.parse_args(arguments)
    with ProcessPoolExecutor(2) as pool:
        value = shipped_value() if chosen.learn is None else _make(pool, chosen.archive, chosen.learn)
        print(f"value function {value.digest}", flush=True)
        for name, (limit, line_ups) in CONTESTS.items():
            played = [(bots, play_all(pool, limit, bots, chosen.sets, _MEASURED)) for bots in line_ups]
            print("\n".join(lines(name, played, np.array(value.weights(limit=limit)))), flush=True)


def _make(pool: ProcessPoolExecutor, sets: int, file: Path) -> ValueFunction:
    archives: dict[bool, list[Sets]] = {False: [], True: []}
    # Tables of six add little: most of their pots are soon between two.
    for limit, line_ups in list(CONTESTS.values())[:2]:
        archives[limit] += [play_all(pool, limit, bots, sets, _LEARNED) for bots in line_ups]
    about = f"{sets} deal sets each of house bots, heads-up: benchmarks.luck, seed {_LEARNED}"
    text = value_text(learn(archives[True]).tolist(), learn(archives[False]).tolist(), about)
    file.write_text(text, "ascii")
    return parse_value(text)


if __name__ == "__main__":
    main()
