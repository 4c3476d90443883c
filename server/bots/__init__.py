"""Bot processes: starting, confining, measuring and stopping them; and the house bots on offer.

Read ``processes`` first; ``program_files`` says how a folder is started, ``sandbox`` what a bot may see,
``resource_monitor`` what it uses, and ``reaper`` stops the bots of a killed server.
"""
