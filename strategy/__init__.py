"""Strategies: pure decisions from what a player may know.

Reading order: ``situation`` (what a bot gets), ``observer``, ``checks``, ``registry`` (all house bots),
``parameters``. Then the bots, from simple ones on: ``baseline``, ``adaptive``, ``loki``, ``akuma``,
``pushfold`` and ``evolution``; ``cfr``, ``abstraction``, ``blueprint`` and its bots in ``blueprint_bots``,
``mapping_bots`` and ``three_player``. ``poker``, ``playout`` and ``batch`` are mathematics and simulation
for several of them.
"""
