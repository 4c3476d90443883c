"""Logs (``logger``, ``logging_setup``), ``metrics``, ``incidents`` of players, and the ``version``."""
