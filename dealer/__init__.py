"""The law of the house: rules, cards, matches, scoring, records. Pure."""
