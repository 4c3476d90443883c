"""Akuma: Monte-Carlo simulation against opponents whose frequencies it learns.

Reading order: ``bot``; ``habits`` (frequencies), ``ranges`` (hands), ``simulate``.
"""
