"""The ladder: bots that are pushed or connect are rated round the clock.

Reading order: ``config`` (the file), ``store`` (what must not be lost), ``records`` (what is in it),
``uploads`` (from a pushed folder to a program), ``matches`` (one match), ``table`` (ratings and grades, from
the stored results alone), ``ladder`` (the state machine that runs all of it), ``final``.
"""
