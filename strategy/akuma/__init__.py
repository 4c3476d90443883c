"""Akuma: Monte-Carlo simulation against opponents whose frequencies it learns."""
