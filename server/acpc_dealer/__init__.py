"""A drop-in replacement for the ACPC's ``dealer`` program: one match, one TCP port per seat.

Reading order: ``options``, ``play`` (the rules, no I/O), ``seats`` (the network), ``files`` and ``dealer``.
"""
