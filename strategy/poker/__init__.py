"""Poker mathematics that several bot families share.

Reading order: ``combos`` and ``suits``; ``equity`` and ``strength``, one hand at a time; ``batch``,
``kernels``, ``strengths`` and ``strength_moments``, all hands at once; ``dealing`` (random hands); tables
and what makes them: ``preflop``, ``income``, ``allin``.
"""
