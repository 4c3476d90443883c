"""The ports that the reference proposes follow from the seed by glibc's ``random``."""

import ctypes
import sys
from itertools import islice

import pytest

from server.acpc_dealer.seats import reference_ports


@pytest.mark.parametrize("seed", [0, 1, 42, 20111, 2**31 - 1, 2**31, 2**32 - 1])
def test_the_ports_are_those_of_the_c_library(seed: int) -> None:
    assert sys.platform == "linux", "the reference's generator is that of glibc"
    library = ctypes.CDLL("libc.so.6")
    library.random.restype = ctypes.c_long
    library.srandom(ctypes.c_uint(seed))
    wanted = [library.random() % 64512 + 1024 for _ in range(100)]
    assert list(islice(reference_ports(seed), 100)) == wanted
