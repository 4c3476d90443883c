"""Two-player strategies at a table of three: each situation is mapped to heads-up betting (Glöckner 2013)."""
