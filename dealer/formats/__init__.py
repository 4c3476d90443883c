"""How hands follow each other at a table.

Read in this order: ``format`` (what a table asks of a format), ``fixed`` (fixed stacks, as in the ACPC, and
challenges), ``moving`` (stacks that carry over), ``cash``, ``tournament``.

A format is pure: it owns stacks, button and blind level, and builds the next ``Hand``. The table asks
``next_hand`` and reports ``finished``. Deals come from a factory ``deals_for(game)``, so that the number of
players may change from hand to hand.
"""
