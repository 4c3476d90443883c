"""Tables and the players at them.

Read ``actor`` (a running table), ``open_table`` (players come and go), ``player``; ``snapshot`` is the stored
form of a table.
"""
