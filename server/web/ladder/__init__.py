"""The ladder for people and programs: its API, ratings over time, how bots play, and names in blind mode."""
