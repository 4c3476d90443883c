"""Sockets, TLS, websockets and connections.

Read ``gateway``, then ``connection``; ``listener`` limits connections, ``backlog`` bounds what waits for
readers.
"""
