"""Card abstraction: hands and boards that a solver treats alike.

Reading order: ``abstraction`` (buckets), ``moment_tables`` (what they are made from), ``clusters`` and
``cluster_tables``; ``deals`` and ``holdem_deals``, which deal in buckets.
"""
