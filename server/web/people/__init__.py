"""The API for people: kept results against house bots (``results``), challenges and deals that several play
(``challenges``), and how somebody did at the tables here (``own_play``).
"""
