"""The table of ``pokerd serve --exhibition``."""

from __future__ import annotations

from argparse import ArgumentParser

import pytest

from dealer.table import Clock
from pokerd.commands.serve import add_options
from server.commands.serve import exhibition_tables


def options(*arguments: str) -> list[str]:
    parser = ArgumentParser()
    add_options(parser)
    return list(parser.parse_args(arguments).exhibition or ())


def test_the_bots_take_all_seats_of_one_table() -> None:
    [config] = exhibition_tables(options("--exhibition", "fair,call,fair"), Clock(20.0, 60.0))
    assert config.bots == ("fair", "call", "fair")
    assert config.exhibition
    assert config.mode == "cash"
    assert config.name
    assert config.pause > 0
    assert config.clock == Clock(20.0, 60.0)


def test_without_bots_there_is_no_such_table() -> None:
    assert exhibition_tables(options(), Clock()) == []


@pytest.mark.parametrize("bots", ["", "fair", ",".join(["fair"] * 11)])
def test_a_table_has_two_to_ten_seats(bots: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        options("--exhibition", bots)
    assert "2 to 10" in capsys.readouterr().err
