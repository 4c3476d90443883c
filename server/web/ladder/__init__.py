"""The ladder for people and programs: its API (``api``, ``schemas``; ``published`` is computed once for all),
ratings over time, how bots play, and names in blind mode.
"""
