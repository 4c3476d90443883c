"""From a socket to a connection that speaks: ports, TLS, websockets.

Read ``gateway``, then ``connection``; ``listener`` counts who comes, ``backlog`` bounds what waits for
readers.
"""
