"""Rules, cards, matches, scoring and records. Pure: no clock, no network.

Reading order: ``rules``; ``deck``, ``formats`` and ``seats``, from which ``table`` deals hands;
``line_ups``, ``match`` and ``play_order`` (who plays whom, and when); ``scoring``, ``intervals``,
``standings`` and ``runoff``; ``ratings``; ``records``, ``recorded_table`` and ``snapshot``; ``audit`` and
``curves``.
"""
