"""Slumbot's HTTP API in front of a pokerd server."""
