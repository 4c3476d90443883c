"""Bodies of bots and people: SDK, bot programs, browser page."""
