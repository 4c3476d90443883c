"""SQLite as the server uses it, the archive of the hands of open tables, and locks.

Read ``schema`` and ``sqlite``, then ``hand_store`` with its file ``hand_db`` and its log ``write_ahead_log``.
"""
