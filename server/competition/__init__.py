"""Competitions: the competition file, the sessions, the results.

Reading order: ``schema`` and ``file``; ``runner``, which plays a competition with a ``session_host``;
``results`` and ``store``, which write it down; ``verify`` and ``audit``, which check it
afterwards.
"""
