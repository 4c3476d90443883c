"""The public rules: cards, games, betting and hands. Pure functions and plain state; a bot may import it.

Reading order: ``cards`` and ``evaluation``; ``games``; ``actions``, ``legal``, ``betting`` and ``pots``;
``equity``; ``hand``, which turns actions into ``events``; ``notation`` and ``tree``.
"""
