"""Counterfactual regret minimization: betting trees, solvers, and what is built on them.

Reading order: ``tree`` and ``graph``, ``small`` (games that are small enough to list), ``solver`` with its
``variants``; ``vectors`` and ``sampling`` for large games; ``training``, ``files``, ``report``;
``response`` and ``aivat``.
"""
