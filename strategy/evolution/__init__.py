"""Push/fold heads-up before the flop by evolution.

The source is Funke, a thesis of 2015 on genetic algorithms for push/fold poker ("the document" here). Exact
solutions are in ``strategy.pushfold``. ``plan`` has the settings, ``run`` plays and saves an evolution.
"""
