"""Strategies for heads-up limit hold'em: trained, and refined on the river.

Reading order: ``bucketed`` (the game that is solved), ``blueprint`` (its strategy), ``endgame`` and
``river``.
"""
