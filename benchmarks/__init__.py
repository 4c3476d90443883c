"""Measurements, with other programs for comparison; run by `make bench`, never by a test."""
