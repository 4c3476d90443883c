"""The players and open tables of a server.

Read ``house``; ``login`` authenticates players, ``lobby`` opens tables, ``restore`` reopens them after a
restart.
"""
