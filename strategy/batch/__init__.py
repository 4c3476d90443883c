"""Thousands of hold'em hands at once in compiled loops, by the rules of ``dealer.rules``.

Reading order: ``layout`` (what the numbers of a game and of a table mean), ``betting``, ``payout``, ``hands``
(cards, and tables in batches).
"""
