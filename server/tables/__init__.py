"""Tables and the players at them.

Read ``actor`` (a running table), ``joinable_table`` (players come and go), ``open_table`` (its matches),
``practice``, ``player``; ``snapshot`` is the stored form of a table.
"""
