"""Hands on paper. Every format is written from the events of a hand, and every text returned ends with a
newline.

``journal`` is our own and loses nothing; ``acpc`` is the log of the ACPC reference dealer; ``phh`` is the
open poker hand history format that hand-history tools read.
"""
