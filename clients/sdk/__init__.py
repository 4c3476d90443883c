"""What a bot in Python is made of: ``bot`` is what its author sees."""
