"""Two-player strategies at a table of three: each situation is mapped to heads-up betting (Glöckner 2013).

Reading order: ``spot``, ``mapping`` and ``mappings``, ``policy``, ``bot`` and ``bots``; ``histories``,
``rounds`` and ``bias``.
"""
