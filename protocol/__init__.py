"""The wire protocol: messages, codecs, sessions and error codes. Pure: no sockets, no clock.

Reading order: ``base``, ``messages`` (for bots), ``people`` and ``tournament`` (for the web pages),
``errors``, ``codec``, ``session``; ``event_messages`` (from events of the rules); ``public`` (public events);
``acpc`` and ``acpc_seat`` (the ACPC protocol); ``schema``, ``keep_alive``.
"""
