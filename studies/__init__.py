"""Experiments of the source works, played in one process."""
