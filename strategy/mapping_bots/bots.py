"""The mapping bots by name."""

from __future__ import annotations

from strategy.mapping_bots import mappings
from strategy.mapping_bots.bot import MappedBot
from strategy.mapping_bots.parameters import HybridParameters, MappingParameters, MaxParameters


class Hbb1(MappedBot):
    """FirstTry: delete the fewest actions (4.2)."""

    mapping = mappings.HBB1
    own_table = "hbb1"


class Hbb2(MappedBot):
    """Choose the nearest history in the actions of two players (4.3)."""

    mapping = mappings.HBB2
    own_table = "hbb2"


class Hbb3(MappedBot):
    """As hbb2, among those with the nearest pot (4.4)."""

    mapping = mappings.HBB3
    own_table = "hbb3"


class Hbb4(MappedBot):
    """Among those with the nearest pot odds, by raises left, position and actions (5.1)."""

    mapping = mappings.HBB4
    own_table = "hbb4"


class Hbb5(MappedBot):
    """By pot odds, pot, raises left, position and actions, among all (5.4)."""

    mapping = mappings.HBB5
    own_table = "hbb5"


class Hbb5Max(Hbb5):
    """hbb5 with the most likely action (5.4)."""

    Parameters = MaxParameters


class HybridHbb1(Hbb1):
    """fair with hbb1 (6, table 15)."""

    Parameters = HybridParameters


class HybridHbb2(Hbb2):
    """fair with hbb2 (6, table 15)."""

    Parameters = HybridParameters


class HybridHbb3(Hbb3):
    """fair with hbb3 (6, table 15)."""

    Parameters = HybridParameters


class HybridHbb4(Hbb4):
    """fair with hbb4 (6, table 15)."""

    Parameters = HybridParameters


class HybridHbb5(Hbb5):
    """fair with hbb5 (6, table 15)."""

    Parameters = HybridParameters


class OwnBot(MappedBot):
    """fair, and the heads-up strategy once two players are left, like the winner of the TUD PokerChallenge
    2011 according to the document (4.5, 6).
    """

    Parameters = MappingParameters
    mapping = mappings.OWNBOT
    when = "folded"


class SartreBot(MappedBot):
    """fair, and the heads-up strategy when two players are left before the flop, like Sartre3P (Rubin and
    Watson) according to the document (6). Sartre3P itself plays differently against two.
    """

    Parameters = MappingParameters
    mapping = mappings.SARTRE
    when = "folded_preflop"
