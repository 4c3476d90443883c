"""Measurements beside peers; run by `make bench`, never by a test."""
