"""The command line, one module per command: its options, and a call of what does the work.

Any order will do; ``rules`` is the shortest complete one. This is the one folder that grows with the
commands.
"""
