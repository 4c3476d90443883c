"""Push/fold heads-up before the flop: exactly, and by evolution.

The source is Funke, a thesis of 2015 on genetic algorithms for push/fold poker ("the document" here).
``pushfold`` has what two tables are worth against each other, ``equilibrium`` the best ones, ``rankings`` the
orders of hands.
"""
