"""A bot that owns several strategies and plays, hand by hand, the one that wins most. Read ``pool``, which
counts and chooses, then ``bot``.
"""
