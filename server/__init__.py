"""The server: sockets, live tables, competitions, storage.

Reading order, from a socket inwards: ``net``, ``auth``, ``house``, ``tables``, ``view`` (who may see
what), ``storage``. Then ``bots`` and ``competition``, ``fleet``, ``people``; ``public`` and ``web``;
``check`` and ``acpc_dealer``; ``commands``, which put it all together. ``docs/architecture.md`` is the
map.
"""
