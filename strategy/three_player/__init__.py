"""hbb6: a strategy for three-player limit hold'em, trained with three players, and its file."""
