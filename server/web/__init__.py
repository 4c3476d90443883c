"""What people use: pages, a read-only JSON API and the browser's websocket, all on one port.

``site`` opens the port (Starlette on uvicorn), ``guard`` puts security headers on every response, ``files``
has the pages in memory, ``identity`` knows a browser again. ``tables`` and ``contest_api`` answer the API in
the words of ``shapes``; ``contests`` reads competitions; ``replay`` tells a recorded hand as its viewer may
see it, through ``server.view``.
"""
