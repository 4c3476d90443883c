"""The players and open tables of a server.

Read ``house``; ``login`` authenticates players, ``lobby`` opens tables, ``bot_manager`` has their house bots,
``restore`` reopens tables after a restart.
"""
