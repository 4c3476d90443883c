"""Admission and limits: tokens and bans, addresses and hosts, names and texts.

Read ``tokens``, then ``policy``, which decides; the other modules are its vocabulary.
"""
