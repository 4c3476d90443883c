"""The connection of a bot to its server: ``connection`` opens it, with whichever websocket library is there.

``channel`` says what a connection can do; ``picows_channel`` (fast) and ``websockets_channel`` implement it.
"""
