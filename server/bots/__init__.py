"""Bot processes: starting, confining, measuring and stopping them.

Read ``processes`` first; ``sandbox`` says what a bot may see, ``resource_monitor`` what it uses, and
``reaper`` stops the bots of a killed server.
"""
