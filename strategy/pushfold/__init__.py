"""Push/fold heads-up before the flop, exactly.

``game`` computes the value of two tables against each other, ``equilibrium`` the best tables, ``rankings``
the orders of hands, ``report`` all of it at one stack.
"""
