"""SQLite as the server uses it, and the archive of the hands of open tables.

Read ``sqlite``, then ``hand_store`` with its file ``hand_db`` and its log ``write_ahead_log``.
"""
