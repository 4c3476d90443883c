"""All players and open tables of a server.

Read ``house``; ``login`` says who somebody is, ``lobby`` opens tables, ``restore`` begins them again.
"""
