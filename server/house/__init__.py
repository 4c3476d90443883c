"""The players and open tables of a server.

Read ``players_and_tables``, then ``house`` (what players send); ``login`` authenticates players, ``lobby``
opens tables, ``bot_manager`` has their house bots, ``restore`` reopens tables after a restart. ``coach``
asks a strong bot at practice tables, ``hand_coach`` about hands that are over.
"""
