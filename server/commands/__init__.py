"""The implementations of the server's commands: ``serve``, ``compete``, ``node``, ``replay``, ``check_bot``,
``convert``.
"""
