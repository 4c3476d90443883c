"""Measurements, with other programs for comparison; run by `make bench`, never by a test."""

import pokerd  # noqa: F401 (first: what is compiled is measured compiled, as it runs; else POKERD_PURE=1)
