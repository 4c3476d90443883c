"""hbb6: a strategy for three-player limit hold'em that was trained with three players, and its file."""
