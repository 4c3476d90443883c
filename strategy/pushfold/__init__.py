"""Push/fold heads-up before the flop, exactly.

``game`` has the value of two tables against each other, ``equilibrium`` the best ones, ``rankings`` the
orders of hands.
"""
