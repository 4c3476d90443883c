"""Opens a connection and never finishes the handshake."""

import socket
from urllib.parse import urlsplit

from tests.zoo.keeper import URL

url = urlsplit(URL)
with socket.create_connection((url.hostname, url.port)) as plain:
    plain.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n")
    plain.recv(1)
