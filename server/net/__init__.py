"""Sockets, TLS, websockets and connections.

Read ``gateway``, then ``connection`` and ``acpc_connection`` with its ``acpc_codec``; ``listener`` limits
connections, ``backlog`` bounds what waits for readers.
"""
