"""Push/fold heads-up before the flop, exactly.

``game`` has what two tables are worth against each other, ``equilibrium`` the best ones, ``rankings`` the
orders of hands.
"""
