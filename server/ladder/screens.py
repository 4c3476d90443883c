"""What an organiser should look at: pairs that may play softly, and bots that may be copies.

A screen proves nothing: a soft pair may be one where one style beats another.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from hashlib import blake2b
from itertools import combinations
from math import sqrt
from pathlib import Path
from typing import Final, NamedTuple

from dealer.ratings.model import Ratings

#: From so many standard errors on, the result of a line-up is not what its bots' strengths say.
SOFT: Final = 4.0
#: From this share of common pieces of text on, two programs are alike.
ALIKE: Final = 0.6
_WORDS: Final = 8
_WORD = re.compile(rb"\w+|[^\w\s]")
#: Texts of a program that are read, and how much of each.
_FILES: Final = 200
_BYTES: Final = 500_000


class SoftPair(NamedTuple):
    """Bots of a line-up of which one wins less than its strength says: by ``missing`` mbb/hand, which is
    ``errors`` standard errors.
    """

    line_up: tuple[str, ...]
    bot: str
    missing: float
    errors: float


class AlikePair(NamedTuple):
    """Two bots that may be copies: the ``share`` of pieces of text that they have in common (0 to 1), and
    whether they have played and every deal set came out even, as between the same programs without dice.
    """

    bots: tuple[str, str]
    share: float
    even: bool


def soft_pairs(ratings: Ratings) -> list[SoftPair]:
    """Return the line-ups whose result is far from the strengths, the farthest first."""
    found = []
    for line_up, sums in ratings.results:
        if sums.deal_sets < 2:
            continue
        expected = ratings.expected(line_up)
        deviations = ratings.deviation(line_up)
        for bot, mean, value, deviation in zip(line_up, sums.means(), expected, deviations, strict=True):
            errors = (mean - value) / (deviation / sqrt(sums.deal_sets))
            if errors < -SOFT:
                found.append(SoftPair(line_up, bot, value - mean, -errors))
    return sorted(found, key=lambda pair: -pair.errors)


def alike_pairs(ratings: Ratings, files: Mapping[str, Path]) -> list[AlikePair]:
    """Return the pairs of bots that may be copies, the most alike first. ``files``: the folder of each pushed
    version, by name.
    """
    pieces = {name: text_pieces(folder) for name, folder in files.items()}
    found = []
    for one, two in combinations(sorted(set(ratings.field)), 2):
        mine, theirs = pieces.get(one, frozenset()), pieces.get(two, frozenset())
        share = len(mine & theirs) / min(len(mine), len(theirs)) if mine and theirs else 0.0
        sums = ratings.results.sums([one, two])
        even = sums is not None and sums.deal_sets > 1 and not any(sums.products)
        if share >= ALIKE or even:
            found.append(AlikePair((one, two), share, even))
    return sorted(found, key=lambda pair: (-pair.even, -pair.share, pair.bots))


def text_pieces(folder: Path) -> frozenset[bytes]:
    """Return the hashes of all runs of words in a program's texts, whatever its spaces, lines and order."""
    found = set()
    for path in sorted(folder.rglob("*"))[:_FILES]:
        if not path.is_file() or path.is_symlink():
            continue
        data = path.read_bytes()[:_BYTES]
        if b"\0" in data:
            continue
        words: Sequence[bytes] = _WORD.findall(data)
        for start in range(len(words) - _WORDS + 1):
            found.add(blake2b(b" ".join(words[start : start + _WORDS]), digest_size=8).digest())
    return frozenset(found)
