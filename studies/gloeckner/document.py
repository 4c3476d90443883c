"""The measurements of Glöckner 2013: the document's tables as data. Ten chips are a big blind."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations

DEALS = 1000
"""Hands of each match: played at all six seatings, or at three if two players are the same."""

STREETS = ("preflop", "flop", "turn", "river")
ACTIVE = (2, 3)
NEIGHBOURS = (1, 2, 5, 10, 15)
"""The numbers of nearest histories that were averaged."""

TABLE_1_BOTS = ("hbb1", "hbb2", "hbb3", "raise", "call", "akuma", "ownbot")
"""The players of the tournament, in the order of table 1."""

_TABLE_1 = """
hbb1 hbb2    -      -      -17046 23266 -5785  4216  8532
hbb1 hbb3    -      10674  -      51224 1344   5272  18755
hbb1 raise   -      -11943 -51968 -     -6416  9210  7632
hbb1 call    -      1737   -7618  -2729 -      6810  16244
hbb1 akuma   -      -2153  -7408  -4755 -10651 -     -1272
hbb1 ownbot  -      -3869  -20936 11471 -16176 2673  -
hbb2 hbb3    6372   -      -      61140 -419   1700  17378
hbb2 raise   -11323 -      -55657 -     2903   11892 9465
hbb2 call    4048   -      -10618 2645  -      8248  14526
hbb2 akuma   -2063  -      -5502  -9583 -10702 -     255
hbb2 ownbot  -4663  -      -20110 5851  -13641 1518  -
hbb3 raise   744    -5483  -      -     23944  11600 8994
hbb3 call    6274   11037  -      25899 -      12187 23233
hbb3 akuma   2136   3802   -      3357  -9057  -     1138
hbb3 ownbot  2208   2732   -      21985 -9920  2229  -
raise call   9145   -5548  -49843 -     -      17369 47640
raise akuma  -4455  -2309  -14957 -     -9874  -     671
raise ownbot -19103 -15316 -30979 -     -23592 6559  -
call akuma   3841   2454   -3130  -7495 -      -     5829
call ownbot  -68    -885   -13313 -24048 -     8911  -
akuma ownbot -1401  -1773  -3367  -7230 -14740 -     -
"""


def _line_ups() -> dict[tuple[str, ...], dict[str, int]]:
    found: dict[tuple[str, ...], dict[str, int]] = {one: {} for one in combinations(TABLE_1_BOTS, 3)}
    for line in _TABLE_1.strip().splitlines():
        first, second, *cells = line.split()
        for bot, cell in zip(TABLE_1_BOTS, cells, strict=True):
            if cell != "-":
                line_up = tuple(one for one in TABLE_1_BOTS if one in (first, second, bot))
                found[line_up][bot] = int(cell)
    return found


TABLE_1: Mapping[tuple[str, ...], Mapping[str, int]] = _line_ups()
"""Chips that each of a line-up won from the two others in 6,000 hands."""

TABLE_2: Sequence[Mapping[str, int]] = (
    {
        "ownbot": 179020,
        "raise": 150998,
        "akuma": 110394,
        "hbb1": -8308,
        "hbb2": -16843,
        "call": -102782,
        "hbb3": -312479,
    },
    {"ownbot": 109522, "raise": -12607, "akuma": 77406, "hbb1": -26042, "hbb2": -39605, "call": -108674},
    {"ownbot": 25283, "raise": 19020, "akuma": 36068, "hbb1": -43008, "hbb2": -37363},
    {"ownbot": 10391, "raise": -10962, "akuma": 19969, "hbb2": -19398},
    {"ownbot": 671, "raise": -7230, "akuma": 6559},
)
"""Table 2: the bankrolls in each round of the run-off, chips; 6,000 hands of each match."""

BANKROLLS = TABLE_2[0]
"""Chips in 90,000 hands."""

RUN_OFF = ("akuma", "ownbot", "raise", "hbb2", "hbb1", "call", "hbb3")
"""Table 2, the best first: those eliminated last come first."""

_X = Mapping[str, Sequence[int]]

NEAREST: _X = {
    "hbb2": (940, -2821, -4421, -5312, -6188),
    "hbb3": (-2247, -4462, -6014, -4945, -7319),
    "hbb4": (-2180, -3624, -3911, -5956, -6166),
}
"""Table 3: chips in 6,000 hands against akuma and ownbot, for each of ``NEIGHBOURS``."""

WEIGHTED: _X = {
    "hbb2": (-1884, -4300, -4975, -6276, -5714),
    "hbb3": (-789, -2558, -4121, -4122, -3864),
    "hbb4": (-504, -2731, -3065, -3733, -3153),
}
"""Table 5: chips in 3,000 hands against two mathematically fair players, answers weighted by distance."""

DISTANCES = (520, 1593, 2228, 2964, 3506, 2859, 2166, 1263, 397, 83, 12, 2)
"""Table 6: the number of histories, by distance."""

SIZES = (8, 10, 15)
"""Diagram 1: how many nearest histories hbb2 finds. The text has no other figure of the diagram."""

FIRST = 0.25
"""Diagram 2: the deviation of histories at distance 0, the only one that the text tells."""

NAN: Mapping[str, tuple[int, int]] = {"hbb2": (0, 57759), "hbb3": (51, 55790), "hbb4": (75, 58180)}
"""5.2: mappings without a history with an answer, and their total; 15 nearest."""

TRIPLES: Mapping[str, Mapping[int, Sequence[tuple[float, float, float]]]] = {
    "hyperborean": {
        2: ((0.139, 0.511, 0.349), (0.085, 0.511, 0.403), (0.084, 0.565, 0.349), (0.083, 0.556, 0.359)),
        3: ((0.545, 0.107, 0.347), (0.15, 0.543, 0.305), (0.156, 0.516, 0.327), (0.19, 0.529, 0.28)),
    },
    "hbb2": {
        2: ((0.076, 0.229, 0.694), (0.065, 0.487, 0.447), (0.086, 0.508, 0.404), (0.086, 0.514, 0.398)),
        3: ((0.122, 0.124, 0.753), (0.017, 0.347, 0.634), (0.043, 0.47, 0.486), (0.054, 0.463, 0.482)),
    },
    "hbb3": {
        2: ((0.076, 0.229, 0.694), (0.072, 0.379, 0.548), (0.075, 0.509, 0.415), (0.081, 0.519, 0.399)),
        3: ((0.1, 0.23, 0.669), (0.121, 0.421, 0.456), (0.123, 0.505, 0.371), (0.13, 0.455, 0.413)),
    },
    "hbb4": {
        2: ((0.076, 0.227, 0.696), (0.075, 0.375, 0.549), (0.075, 0.516, 0.408), (0.094, 0.515, 0.39)),
        3: ((0.1, 0.286, 0.612), (0.029, 0.534, 0.436), (0.05, 0.505, 0.444), (0.111, 0.455, 0.433)),
    },
}
"""Tables 7 to 10: how often each folds, calls and raises, by number of active players and street."""

DIFFERENCES: Mapping[str, Mapping[int, Sequence[tuple[float, float, float]]]] = {
    "hbb2": {
        2: ((0.063, 0.282, -0.345), (0.02, 0.024, -0.043), (-0.001, 0.056, -0.055), (-0.002, 0.042, -0.039)),
        3: ((0.423, -0.017, -0.406), (0.133, 0.196, -0.329), (0.113, 0.046, -0.158), (0.136, 0.066, -0.201)),
    },
    "hbb3": {
        2: ((0.063, 0.282, -0.345), (0.013, 0.132, -0.145), (0.009, 0.055, -0.066), (0.002, 0.037, -0.04)),
        3: ((0.445, -0.123, -0.322), (0.028, 0.122, -0.151), (0.033, 0.011, -0.043), (0.06, 0.074, -0.132)),
    },
    "hbb4": {
        2: ((0.063, 0.284, -0.347), (0.01, 0.136, -0.146), (0.009, 0.048, -0.059), (-0.01, 0.041, -0.031)),
        3: ((0.445, -0.179, -0.265), (0.121, 0.009, -0.131), (0.106, 0.011, -0.117), (0.079, 0.074, -0.152)),
    },
}
"""Tables 8 to 10, second lines: how much more often hyperborean folds, calls and raises."""

ORDERED: Sequence[tuple[bool, bool, int, int]] = (
    (False, False, 4, 4),
    (False, True, 2, 6),
    (True, True, 3, 9),
    (True, True, 4, 10),
)
"""Table 4: histories in order, whether a raise and whether the position differ from the wanted ones, the
distance in the actions, and the distance.
"""

BIASES: Mapping[str, tuple[int, int]] = {"hbb2": (-1698, -1245), "hbb3": (-1378, -716), "hbb4": (-1318, -737)}
"""Table 11: chips in 3,000 hands against two fair players, without and with the bias."""

LIKELIEST = (-1966, -2073)
"""Table 12: chips of HBB5 in 6,000 hands against two fair players, as it is and with the likeliest action."""

LIKELIEST_DEALS = 2000
"""Hands of the two matches of table 12, at three seatings each."""

UNHELPED = -41
"""Table 15, first row: a fair player alone, chips in 3,000 hands."""

SITUATIONS = ("always", "folded_preflop", "folded")
"""Conditions under which a mapping plays instead of a fair player."""

HYBRIDS: Mapping[str, Sequence[int]] = {
    "always": (-2103, -863, -1796, -1095, -1196),
    "folded_preflop": (-543, 469, -97, 232, 423),
    "folded": (-650, 601, -717, 344, 525),
}
"""Table 15: HBB1 to HBB5, chips in 3,000 hands against two fair players."""


def mbb(chips: float, hands: int) -> float:
    """Return the document's chips in thousandths of a big blind per hand."""
    return chips * 100 / hands
