"""Tables and who is at them.

Read ``actor`` (a table that is played), ``open_table`` (one where people come and go), ``player``;
``snapshot`` has a table as it is stored.
"""
