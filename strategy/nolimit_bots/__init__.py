"""The bots ``nolimit`` and ``nolimit+search``: bets of any size, shipped strategies, solving.

Reading order: ``bot``, ``follow``, ``policy`` (with ``make``), ``search``, ``ring`` (``ring_training``).
"""
