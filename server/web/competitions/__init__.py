"""Competitions in the browser: ``reader`` reads them, ``api`` serves them."""
