"""Who may come in, and what he may do: tokens and bans, limits, addresses and hosts, names and texts that can
be shown.

Read ``tokens``, then ``policy``, which decides; the others are its words.
"""
