"""What connects to a server: the SDK (``sdk``), bot programs, ACPC programs, the web pages (``web``).

Reading order: ``examples``, ``strategy_bot`` (a house bot as a program), ``acpc`` (the bridge),
``new_bot`` and ``admin`` (commands).
"""
