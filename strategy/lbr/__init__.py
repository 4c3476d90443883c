"""Local best response: how much a simple opponent who knows a strategy wins from it, in hold'em for two.

Reading order: ``response`` (the opponent), ``cards`` (what its cards are worth), ``limit`` and ``nolimit``
(the strategies that it can play against), ``exploitability`` (what is said of a limit strategy in a file).
"""
