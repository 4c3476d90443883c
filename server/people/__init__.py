"""How people did against house bots: scored, corrected for luck, and kept with their consent."""
