"""hbb6: a strategy for three-player limit hold'em, trained with three players, and its file.

Reading order: ``bot``, ``policy``, ``locate_node``; ``subgames`` and ``subgame_strategy`` (after a fold);
``cfr_three``, ``make`` and ``make_folds``, which made the files.
"""
