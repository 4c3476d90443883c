"""What all tests share."""

from __future__ import annotations

from hypothesis import settings

# The same examples on every run, and no failure because a shared machine was slow once.
settings.register_profile("pokerd", derandomize=True, deadline=None)
settings.load_profile("pokerd")
