"""pokerd: a poker dealer for programs and people. Bots import ``pokerd_bot``, the SDK."""
