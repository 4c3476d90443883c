"""``pokerd check-bot --acpc``: the same for programs that speak the ACPC protocol.

Reading order: ``checks`` and ``scenarios``, which are data; ``scenario_runner``; ``rules``.
"""
