"""Which hands and boards a solver takes for the same."""
