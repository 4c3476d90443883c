"""Thousands of hold'em hands at once in compiled loops, by the rules of ``dealer.rules``.

Reading order: ``layout`` (what the numbers of a game and of a table mean), ``betting``, ``payout``, ``hands``
(cards, and tables in batches); for learners ``menu`` (numbered actions), ``observation`` (what a player sees,
as numbers), ``opponents``, ``learning`` (tables that deal on and ask the learner) and ``view`` (the same of a
``Situation``); for players at the other end of a wire ``wire`` (frames), ``serving`` and ``service``.
"""
