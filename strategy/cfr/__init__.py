"""Counterfactual regret minimization: betting trees, solvers, and what is built on them."""
