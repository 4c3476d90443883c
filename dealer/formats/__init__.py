"""The formats of play: how hands follow each other at a table.

Read in this order: ``format`` (what a table needs from a format), ``fixed`` (fixed stacks, as in the ACPC,
and challenges), ``carry_over`` (stacks that carry over), ``cash``, ``tournament``,
``part_of_tournament``.

A format is pure: it owns stacks, button and blind level, and builds the next ``Hand``. The table calls
``next_hand`` and ``finish_hand``. Deals come from a factory ``deals_for(game)``, because the number of
players may change from hand to hand.
"""
