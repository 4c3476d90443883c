"""Loki-1 and Loki-2 (Papp 1998, Peña 1999): limit hold'em, and a no-limit adaptation of our own.

Reading order: ``bot`` and ``views``; ``preflop``; ``odds`` and ``boards``; ``model`` and ``tables``
(opponents); ``simulate`` and ``triples``.
"""
