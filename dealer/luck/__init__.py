"""What a hand was worth without luck: the host knows all cards, so it can tell what each of them
brought.

Read ``correction`` first; ``showdowns`` counts boards, by the ``ranks`` of many hands at once, ``value``
guesses the rest of the betting, with ``shapes``, and ``declared`` tests what bots say of their own dice.
"""
