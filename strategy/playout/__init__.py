"""Hands played to their end by chance, as Loki and akuma simulate them: ``betting``, then ``playout``."""
