"""Poker mathematics that several bot families share."""
