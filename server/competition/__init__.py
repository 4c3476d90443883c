"""Competitions: the file, the sessions, the results.

Read ``file`` and ``schema``, then ``runner``, which plays it with a ``session_host``; ``results`` and
``store`` write it down, ``verify`` and ``audit`` look at it afterwards.
"""
