"""Every error of the product has its room's root, a code and somebody at fault."""

from __future__ import annotations

import inspect
import pkgutil
from importlib import import_module
from importlib.util import find_spec
from typing import get_args

from clients.errors import ClientError
from dealer.errors import DealerError
from dealer.rules.errors import AtFault, CodedError, RulesError
from pokerd.env.errors import EnvError
from pokerd_bot.errors import BotError
from protocol.errors import WireError
from server.errors import ServerError
from strategy.errors import StrategyError
from studies.harness.errors import StudyError

ROOTS = {
    "protocol": WireError,
    "dealer.rules": RulesError,
    "dealer": DealerError,
    "strategy": StrategyError,
    "clients": ClientError,
    "pokerd_bot": BotError,
    "server": ServerError,
    "studies": StudyError,
    "pokerd.env": EnvError,
}
#: What ends a program or a loop on its way, and no caller is told.
SIGNALS = {"pokerd.progress.StopRequested"}


def errors() -> set[type[BaseException]]:
    """All exception classes that modules of the product define."""
    found = set()
    for room in (*ROOTS, "pokerd"):
        package = import_module(room)
        for module in pkgutil.walk_packages(package.__path__, f"{room}."):
            if module.name.endswith("__main__") or ".examples" in module.name:
                continue
            if module.name == "pokerd.env.spiel" and not find_spec("pyspiel"):
                continue
            for _, kind in inspect.getmembers(import_module(module.name), inspect.isclass):
                if issubclass(kind, BaseException) and kind.__module__ == module.name:
                    found.add(kind)
    return found


def room_of(kind: type[BaseException]) -> str:
    return next(room for room in (*ROOTS, "pokerd") if f"{kind.__module__}.".startswith(f"{room}."))


def test_every_error_derives_from_the_root_of_its_room() -> None:
    for kind in errors() - {CodedError}:
        name = f"{kind.__module__}.{kind.__qualname__}"
        if name not in SIGNALS:
            assert issubclass(kind, ROOTS[room_of(kind)]), name


def test_every_error_says_who_is_at_fault() -> None:
    for kind in errors():
        if issubclass(kind, CodedError):
            assert kind.at_fault in get_args(AtFault), kind


def test_an_error_has_the_code_of_its_class_or_one_of_its_own() -> None:
    one = DealerError("bad_seed", "what a person reads")
    assert (one.code, one.detail, str(one)) == ("bad_seed", "what a person reads", "what a person reads")
    for kind in errors():
        code = vars(kind).get("code")
        if isinstance(code, str) and issubclass(kind, CodedError) and kind.__init__ is CodedError.__init__:
            assert (kind("words").code, str(kind("words"))) == (code, "words")
