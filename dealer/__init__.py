"""Rules, cards, matches, scoring and records. Pure: no clock, no network."""
