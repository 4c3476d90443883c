"""pokerd: a poker dealer for programs and people. Bots import ``pokerd_bot``, the SDK."""

from pokerd import compiled

compiled.use()
