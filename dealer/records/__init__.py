"""Hands on paper. Every format is written from the events of a hand, and every text returned ends with a
newline; what is read is played again by the rules.

``journal`` is our own and loses nothing; ``acpc`` is the log of the ACPC reference dealer; ``phh`` is the
open poker hand history format that hand-history tools read; ``ohh`` is Open Hand History, and ``pokerstars``
the text of that site. ``hands`` is what they have in common, ``replaying`` how what is read is held to the
rules, ``convert`` the table of formats.
"""
