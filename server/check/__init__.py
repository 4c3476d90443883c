"""``pokerd check-bot``: plays scripted scenarios with a bot and explains what it does wrong.

Reading order: ``model``; ``checks`` and ``scenarios``, which are data; ``scenario_runner``, which plays a
scenario with a real process against the real server code; ``live_rules`` and ``final_rules``, which evaluate
the transcript and do no I/O; ``suite``, which does all of it; ``report``. ``acpc`` has the same for ACPC
programs.
"""
