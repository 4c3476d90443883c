"""What was won by skill: AIVAT, and what it needs to look ahead."""
