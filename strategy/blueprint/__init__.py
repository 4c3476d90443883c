"""Strategies for heads-up limit hold'em: trained, refined on the river, and measured.

Reading order: ``bucketed`` (the game that is solved), ``blueprint`` (its strategy), ``endgame`` and
``river``, ``lbr`` (what a best response wins at least).
"""
