"""Competitions in the browser: what is read of them, and the API that tells it."""
