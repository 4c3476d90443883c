"""What the server tells of itself: the log, metrics, counts of incidents, its version."""
