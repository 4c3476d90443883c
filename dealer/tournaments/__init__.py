"""Tournaments over several tables, without cards, clocks and sockets: who sits where, who moves, at which
blinds a hand is played, and who finishes in which place for how many points.
"""
