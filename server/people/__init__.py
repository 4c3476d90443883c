"""How people did against house bots: scored (``performance``), corrected for the luck of all-ins (``luck``),
and kept with their consent (``results``).
"""
