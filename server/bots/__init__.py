"""Bots as processes: how they are started, confined, measured and ended.

Read ``processes`` first; ``sandbox`` says what a bot may see, ``resource_monitor`` what it uses, and
``reaper`` ends what a killed server leaves.
"""
