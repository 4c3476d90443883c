"""The common parts of all studies: playing without sockets, interruptible work, reports.

Reading order: ``session`` and ``arena`` (play), ``work`` (units that can be resumed), ``verdicts`` and
``report``, ``runner``.
"""
