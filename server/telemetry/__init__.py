"""Logs, metrics, incident counts and the version."""
