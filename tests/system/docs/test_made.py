"""The blocks that the program makes are current. To write them anew: ``python -m tests.docs.made``."""

from __future__ import annotations

import pytest

from tests.docs.made import MADE, Made
from tests.docs.pages import blocks


@pytest.mark.parametrize("made", MADE, ids=lambda made: f"{made.page.stem}-{made.info}")
def test_the_block_is_what_the_program_makes_now(made: Made) -> None:
    (block,) = blocks(made.page, made.info)
    assert block.text == made.make()
