"""Makes ``strategy/data/bias.json``, how often the mapping bots fold, beside what they should: ``python -m
studies.gloeckner.make_bias``, in a quarter of an hour of one core.

Every bot plays against akuma and ownbot, as in the matches that are compared with the document's appendix B,
and skips what its strategy never reaches, as in table 11 (``nan`` is "skip"). Its chances to fold are summed,
not its folds, which would be noisier.
"""

from __future__ import annotations

import json
from collections import defaultdict
from concurrent.futures import ProcessPoolExecutor
from typing import Any

from dealer.rules.actions import Action
from strategy.mapping_bots.bias import DATA, later_key, preflop_key
from strategy.mapping_bots.bot import MappedBot
from strategy.mapping_bots.spot import make_spot
from strategy.poker.preflop import hand_class
from strategy.registry import Strategy
from strategy.situation import Situation
from strategy.three_player.bot import Hbb6
from studies.gloeckner.jobs import observed_contest
from studies.gloeckner.plan import skipping_contest

BOTS = ("hbb1", "hbb2", "hbb3", "hbb4", "hbb5")
_DEALS = 2000
_SEED = 1
_LEAST = 20
# Decisions from which on a class has a shift of its own at a history.


class _Folds:
    """Sums the chances to fold of a bot, and of hbb6 at the same decisions, with three active players and
    something to pay.
    """

    def __init__(self) -> None:
        self.own: defaultdict[str, list[float]] = defaultdict(lambda: [0.0, 0.0])
        self.shifts: defaultdict[str, list[float]] = defaultdict(lambda: [0.0, 0.0])
        self._reference: Hbb6 | None = None

    def note(self, bot: Strategy, situation: Situation, action: Action) -> None:
        assert isinstance(bot, MappedBot)
        if situation.opponents != 2 or not situation.to_call:
            return
        if self._reference is None:
            self._reference = Hbb6(0, situation.game)
        wanted = self._reference.probabilities(situation)
        if wanted is None:
            return
        own = float(bot.probabilities(situation, make_spot(situation))[0])
        shift = wanted[0] / sum(wanted) - own
        if situation.street:
            self._add(self.shifts, later_key(situation), shift)
            return
        name = hand_class(situation.hole)
        self._add(self.own, name, own)
        self._add(self.shifts, name, shift)
        self._add(self.shifts, preflop_key(situation, name), shift)

    @staticmethod
    def _add(sums: defaultdict[str, list[float]], key: str, value: float) -> None:
        sums[key][0] += 1
        sums[key][1] += value


def measure(bot: str) -> dict[str, Any]:
    """Return a bot's chances to fold by class, and the shifts to hbb6's by class, history and street."""
    folds = _Folds()
    contest = skipping_contest(bot, _DEALS, f"bias {_SEED} {bot}")
    watched = observed_contest(contest, bot, folds)
    for session in contest.sessions:
        watched.play(session)
    return {
        "own": {name: round(total / count, 4) for name, (count, total) in sorted(folds.own.items())},
        "shifts": {
            key: round(total / count, 4)
            for key, (count, total) in sorted(folds.shifts.items())
            if count >= _LEAST
        },
    }


def main() -> None:
    """Measure all bots, and write the file."""
    with ProcessPoolExecutor(2) as pool:
        found = dict(zip(BOTS, pool.map(measure, BOTS), strict=True))
    made = {"by": "studies.gloeckner.make_bias", "deals": _DEALS, "seatings": 6, "seed": _SEED}
    DATA.write_text(json.dumps({"made": made, "bots": found}, indent=0) + "\n", encoding="ascii")


if __name__ == "__main__":
    main()
