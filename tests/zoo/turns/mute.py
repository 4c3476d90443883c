"""Is ready, but answers no turn."""

from tests.zoo.keeper import come_in, hear

for _ in hear(come_in()):
    pass
