"""Says hello and nothing else, ever."""

from tests.zoo.keeper import come_in

socket = come_in()
for _ in socket:
    pass
