"""SQLite files, the hands of open tables, and lock files.

Read ``schema`` and ``sqlite``, then ``hand_store`` with its file ``hand_db`` and its log ``write_ahead_log``.
"""
