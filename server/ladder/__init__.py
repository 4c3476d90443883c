"""The ladder: bots that are pushed or connect are rated round the clock.

Reading order: ``config`` (the file), ``records`` (what is remembered, and how versions move) and ``store``
(where); ``roster``, ``remote_bots`` and ``uploads`` (from an archive to a program, whose files
``version_files`` keeps); ``matches`` (one match); ``field`` (ratings, from stored results alone), ``grading``
and ``screens``; ``ladder`` (what runs all of it); ``final`` and ``verify``.
"""
