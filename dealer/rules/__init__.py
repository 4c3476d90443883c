"""The public rules: cards, games, betting and hands. Pure functions and plain state; a bot may import it."""
