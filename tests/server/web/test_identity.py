"""The cookie: given once, known again, and made by nobody else."""

from __future__ import annotations

import re
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.web.identity import COOKIE, DEVICE_SECONDS, Identities, load_secret
from tests.support.houses.http_client import site

OURS = Identities(b"s" * 32)
NAME = OURS.cookie


def cookie(identities: Identities = OURS) -> str:
    return identities.issue(secure=False).partition(";")[0]


def test_a_device_is_somebodys_for_a_while_and_by_nobody_elses_word() -> None:
    token = OURS.device_token("me", 1000.0)
    assert OURS.identity_of_device(token, 1000.0 + DEVICE_SECONDS - 1) == "me"
    assert OURS.identity_of_device(token, 1000.0 + DEVICE_SECONDS) == ""
    identity, end, signature = token.split(".")
    for wrong in (
        "", ".", "..", "me", f"me.{end}", f"you.{end}.{signature}", f"{identity}.{int(end) + 1}.{signature}",
        f"{token}x", token[:-1], f"x.{token}", f"me.{OURS._signature(b'me')}", f"{identity}.é.{signature}",
        Identities(b"t" * 32).device_token("me", 1000.0),
    ):  # fmt: skip
        assert OURS.identity_of_device(wrong, 1000.0) == ""
    # Nor is it a cookie.
    assert OURS.identity(f"{NAME}={token}") == ""


def test_whom_it_was_given_to_is_known_again() -> None:
    mine, other = cookie(), cookie()
    who = OURS.identity(mine)
    assert len(who) >= 20
    assert OURS.identity(f"a=b; {mine}; c=d") == who
    assert OURS.identity(other) not in ("", who)
    assert OURS.identity(f"{NAME}=forged.x; {mine}") == who


GIVEN = f"{NAME}=me.{OURS._signature(b'me')}"


@pytest.mark.parametrize(
    "header",
    [
        "",
        ";;;",
        NAME,
        f"{NAME}=",
        f"{NAME}=.",
        f"{NAME}=me",
        f"{NAME}=me.",
        f"{NAME}=.c2ln",
        f"{NAME}=me.\u00e9",
        f"x{GIVEN}",
        f"{NAME}=me.{Identities(b't' * 32)._signature(b'me')}",
        GIVEN[:-1],
        GIVEN + "x",
        GIVEN.replace("=me", "=you"),
        GIVEN.upper(),
    ],
)
def test_what_is_not_from_us_is_nobody(header: str) -> None:
    assert OURS.identity(header) == ""


@given(st.text(max_size=60), st.text(max_size=60))
def test_no_text_is_a_signature(identity: str, signature: str) -> None:
    assert OURS.identity(f"{NAME}={identity}.{signature}") == ""


def test_the_secret_is_kept_and_readable_by_its_owner_alone(tmp_path: Path) -> None:
    folder = tmp_path / "a" / "b"
    secret = load_secret(folder)
    assert len(secret) == 32
    assert load_secret(folder) == secret
    (path,) = folder.iterdir()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    path.chmod(0o644)
    assert load_secret(folder) == secret
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_servers_that_start_at_once_have_the_same_secret(tmp_path: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        secrets = set(pool.map(lambda _: load_secret(tmp_path / "data"), range(32)))
    assert len(secrets) == 1
    assert [path.name for path in (tmp_path / "data").iterdir()] == ["cookie.secret"]


async def test_a_page_gives_a_cookie_once(tmp_path: Path) -> None:
    async with site(tmp_path) as place:
        browser = place.browser()
        first = await browser.get("/challenge")
        flags = first.headers["set-cookie"].split("; ")
        assert flags[0].startswith(COOKIE)
        assert {"HttpOnly", "SameSite=Lax", "Path=/"} <= set(flags)
        assert "Secure" not in flags
        for path in ("/", "/hand/x", "/static/lobby/lobby.js", "/api/version", "/api/tables"):
            assert "set-cookie" not in (await browser.get(path)).headers
        for path in ("/static/lobby/lobby.js", "/api/version"):
            assert "set-cookie" not in (await place.browser().get(path)).headers
        name = flags[0].partition("=")[0]
        assert re.fullmatch(COOKIE + "[0-9a-f]{8}", name)
        forged = await browser.get("/", Cookie=f"{name}=me.forged")
        assert forged.headers["set-cookie"].startswith(f"{name}=")


async def test_servers_on_one_host_leave_each_others_cookies_alone(tmp_path: Path) -> None:
    async with site(tmp_path / "one") as one, site(tmp_path / "two") as two:
        first = (await one.browser().get("/")).headers["set-cookie"].partition(";")[0]
        answer = await two.browser().get("/", Cookie=first)
        second = answer.headers["set-cookie"].partition(";")[0]
        assert first.partition("=")[0] != second.partition("=")[0]
        for place in (one, two):
            both = await place.browser().get("/", Cookie=f"{first}; {second}")
            assert "set-cookie" not in both.headers
        folders = one.data, two.data
    for folder, mine in zip(folders, (first, second), strict=True):
        identities = Identities(load_secret(folder))
        assert identities.identity(f"{first}; {second}") == identities.identity(mine) != ""


async def test_behind_a_proxy_with_tls_the_cookie_is_secure(tmp_path: Path) -> None:
    async with site(tmp_path) as place:
        answer = await place.browser().get("/", X_Forwarded_Proto="https", X_Forwarded_For="192.0.2.7")
        assert "; Secure" in answer.headers["set-cookie"]
