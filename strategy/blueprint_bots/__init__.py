"""Bots that play a blueprint."""
