"""Card abstraction: hands and boards that a solver treats alike."""
