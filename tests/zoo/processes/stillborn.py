"""Dies before it connects."""

raise SystemExit("I do not want to")
