"""Options that several commands have: ``arguments`` (types), ``server`` (ports and limits), ``parser``."""
