"""Random play-outs of hands, as Loki and akuma simulate them: ``betting``, then ``playout``."""
