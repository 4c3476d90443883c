"""The web server: pages, a JSON API, the administration API and the browser's websocket, all on one port.

Reading order: ``site`` defines the routes; ``http_server`` opens the port (Starlette on uvicorn);
``security_headers`` wraps every response; ``static_files`` holds the pages in memory; ``identity`` recognises
browsers. ``tables_api`` and ``competitions`` answer the API with the structs of ``schemas``; ``replay`` shows
a recorded hand as its viewer may see it, through ``server.view``.
"""
