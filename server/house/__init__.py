"""The players and open tables of a server.

Read ``players_and_tables``, then ``house`` (what players send); ``login`` authenticates players, ``lobby``
opens tables, ``bot_manager`` has their house bots, ``restore`` reopens tables after a restart. ``questions``
asks a bot: ``coach`` at practice tables, with ``ranges``, and ``hand_coach`` about hands that are over.
"""
