"""SQLite files, the hands of competitions and of open tables, and lock files.

Read ``sqlite`` first, then ``competition_state``, then ``stored_hands`` and ``hand_store`` with its file
``hand_db``, that file's tables ``hand_schema``, and its log ``write_ahead_log``.
"""
