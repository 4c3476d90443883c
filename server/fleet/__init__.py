"""A fleet: one competition played by many machines. A coordinator, nodes, and PostgreSQL between them.

Reading order: ``coordinator`` and ``node``; ``ledger``, ``queue`` and ``tickets``, through which they
communicate; ``node_registry`` and ``node_store``; ``database`` and ``schema``.
"""
