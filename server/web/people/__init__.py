"""The API for people: kept results against house bots (``results``), challenges and deals that several play
(``challenges``), how somebody did at the tables here (``own_play``), who did best (``leaders``), and exact
tables to train with (``push_fold``).
"""
