"""Hand records. Every format is written from the events of a hand, and every text returned ends with a
newline; what is read is replayed by the rules.

``journal`` is our own and lossless; ``acpc`` is the log of the ACPC reference dealer; ``phh`` is the open
poker hand history format; ``ohh`` is Open Hand History, and ``pokerstars`` the text of that site. ``hands``
is what they have in common, ``replay`` checks what is read against the rules, ``convert`` is the table of
formats.
"""
