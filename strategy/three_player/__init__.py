"""hbb6: a strategy for three at limit hold'em that was trained for three, and its file."""
