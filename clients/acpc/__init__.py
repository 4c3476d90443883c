"""ACPC programs at an ordinary table: the bridge, and the program behind it."""
