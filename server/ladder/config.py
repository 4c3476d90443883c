"""``ladder.toml``: what is played, by whom, and what counts."""

from __future__ import annotations

import tomllib
from datetime import datetime
from pathlib import Path
from typing import Annotated, Final

import msgspec
from msgspec import Meta

from dealer.match import seatings
from dealer.rules.errors import RulesError
from dealer.rules.games import Game, load_game
from server.bots.sandbox import Limits
from server.competition.schema import TimeEntry
from server.ladder.errors import LadderError

CONFIG_FILE: Final = "ladder.toml"


class GradeRule(msgspec.Struct, forbid_unknown_fields=True, frozen=True, kw_only=True):
    """A ``[[grades]]`` entry: reached if the bot beats another with less than this ``p`` (one-sided), and if
    it is worth at least ``rating`` mbb/hand against the field with the same certainty.
    """

    name: Annotated[str, Meta(min_length=1, max_length=64)]
    beats: str | None = None
    rating: float | None = None
    p: Annotated[float, Meta(gt=0, lt=0.5)] = 0.01


class Deadline(msgspec.Struct, forbid_unknown_fields=True, frozen=True, kw_only=True):
    """A ``[[deadlines]]`` entry: ``at`` is a time with its zone; ``group``: for whom it is, "" for everybody.
    The last version that is pushed before it counts.
    """

    name: Annotated[str, Meta(min_length=1, max_length=64)]
    at: Annotated[datetime, Meta(tz=True)]
    group: str = ""


class LadderConfig(msgspec.Struct, forbid_unknown_fields=True, frozen=True, kw_only=True):
    """The file. Each match has ``deal_sets`` deals, dealt to its bots in every seating.

    ``house``: house bots that are always there; the first ``baselines`` of them are every version's first
    opponents, and it is refused if such a match takes more than ``first_match_s`` seconds. ``matches``: how
    many are played at once. ``pushes`` and ``challenges``: per author and hour.
    ``keep_hands`` and ``keep_results``: of how many matches the hands are kept, and of how many the results
    one by one; of older ones their sums remain. ``keep_versions``: of how many versions of an author files
    and sums are kept, besides those of the one that plays and of those that count at deadlines. ``blind``:
    names are hidden from everyone but their author and the organiser until the season ends.
    """

    name: Annotated[str, Meta(pattern=r"^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$")]
    game: str = "holdem.limit.2p.reverse_blinds"
    deal_sets: Annotated[int, Meta(ge=10, le=100_000)] = 50
    house: Annotated[list[str], Meta(min_length=2, max_length=100)]
    baselines: Annotated[int, Meta(ge=1, le=10)] = 3
    matches: Annotated[int, Meta(ge=1, le=256)] = 1
    first_match_s: Annotated[int, Meta(ge=1, le=86_400)] = 60
    pushes: Annotated[int, Meta(ge=1, le=1000)] = 20
    challenges: Annotated[int, Meta(ge=0, le=1000)] = 30
    keep_hands: Annotated[int, Meta(ge=10, le=1_000_000)] = 5000
    keep_results: Annotated[int, Meta(ge=10, le=10_000_000)] = 100_000
    keep_versions: Annotated[int, Meta(ge=2, le=10_000)] = 50
    season: Annotated[str, Meta(min_length=1, max_length=64)] = "1"
    blind: bool = False
    time: TimeEntry = TimeEntry(decision_ms=1000, bank_ms=5000, start_ms=10_000, grace_ms=2000)
    limits: Limits = Limits(memory_mb=1024, processes=64, file_mb=64, disk_mb=64)
    grades: list[GradeRule] = []
    deadlines: list[Deadline] = []

    @property
    def results_kept(self) -> int:
        """The number of matches whose results are kept one by one."""
        return max(self.keep_hands, self.keep_results)

    def load_game(self, folder: Path) -> Game:
        """Return the game: a file beside the configuration, or one of pokerd's."""
        path = folder / self.game
        return load_game(path if path.is_file() else self.game)

    def hands_of_set(self, game: Game) -> int:
        """Return the hands of a deal set."""
        return len(seatings(game.players, "all" if game.players == 2 else "rotations"))


def load_config(folder: Path) -> LadderConfig:
    """Read the file in ``folder``. Raises ``LadderError`` (``not_a_ladder``, ``bad_ladder_file``)."""
    path = folder / CONFIG_FILE
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise LadderError(
            "not_a_ladder", f"there is no {path}; make a ladder with: pokerd ladder init {folder}"
        ) from None
    except (OSError, UnicodeDecodeError) as error:
        raise LadderError("bad_ladder_file", f"{path} cannot be read: {error}") from None
    try:
        config = msgspec.convert(tomllib.loads(text), LadderConfig)
        players = config.load_game(folder).players
    except (tomllib.TOMLDecodeError, msgspec.ValidationError, RulesError) as error:
        raise LadderError("bad_ladder_file", f"{path}: {error}") from None
    unknown = [
        rule.beats for rule in config.grades if rule.beats is not None and rule.beats not in config.house
    ]
    if unknown:
        raise LadderError(
            "bad_ladder_file", f"{path}: a grade asks to beat {unknown[0]!r}, which is not in house"
        )
    for rule in config.grades:
        if rule.beats is None and rule.rating is None:
            raise LadderError("bad_ladder_file", f"{path}: grade {rule.name!r} needs beats, rating, or both")
    if len(set(config.house)) < len(config.house):
        raise LadderError("bad_ladder_file", f"{path}: house names a bot twice")
    if len(config.house) < players - 1:
        # A new version would wait for its first match for ever.
        raise LadderError(
            "bad_ladder_file", f"{path}: {config.game} needs {players - 1} bots in house for a new one"
        )
    return config


#: What ``pokerd ladder init`` writes; ``{name}`` is the ladder's name.
TEMPLATE: Final = """\
# A ladder: bots that are pushed here are rated round the clock. After a change restart the ladder.
name = "{name}"
season = "1"

# A game of pokerd (pokerd rules lists them), or a file beside this one.
game = "holdem.limit.2p.reverse_blinds"
# Deals of a match; each is dealt to its bots in every seating.
deal_sets = 50

# House bots that are always there. The first three are every version's first opponents.
house = ["fair", "call", "random", "loki1", "akuma"]
baselines = 3

# Matches played at once. More than one for each two cores makes bots late.
matches = 1

[time]
decision_ms = 1000
bank_ms = 5000

[limits]
memory_mb = 1024
processes = 64
file_mb = 64
disk_mb = 64

# Grades: which lines a bot has passed, with the certainty that p says.
[[grades]]
name = "beats call"
beats = "call"
p = 0.01

[[grades]]
name = "worth 200"
rating = 200
p = 0.01

# Deadlines: the last version pushed before one counts. Without a group it is everybody's.
# [[deadlines]]
# name = "first hand-in"
# at = 2027-01-31T23:59:00+01:00
# group = "A"
"""
