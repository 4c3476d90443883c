"""Addresses and networks in any spelling."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.auth.addresses import client_address, in_network, normalize_address, parse_network


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("::ffff:127.0.0.1", "127.0.0.1"),
        ("::FFFF:7F00:1", "127.0.0.1"),
        ("::ffff:10.0.0.0/104", "10.0.0.0/8"),
        ("2001:0DB8:0:0::0001", "2001:db8::1"),
        ("2001:db8::/32", "2001:db8::/32"),
        ("10.0.0.0/8", "10.0.0.0/8"),
        ("10.0.0.1/32", "10.0.0.1"),
        ("0.0.0.0/0", "0.0.0.0/0"),
    ],
)
def test_an_address_has_one_spelling(text: str, told: str) -> None:
    assert normalize_address(text) == told
    assert parse_network(text) == parse_network(told) is not None


@pytest.mark.parametrize(
    "text",
    ["", "here", "1.2.3", "10.0.0.1/8", "256.0.0.1", "::1::", "10.0.0.0/33", "1", "fe80::1%", "\uff11.2.3.4"],
)
def test_what_is_none(text: str) -> None:
    assert parse_network(text) is None
    assert normalize_address(text) == text


def test_who_is_in_a_network() -> None:
    ten, six = parse_network("10.0.0.0/8"), parse_network("2001:db8::/32")
    assert ten is not None
    assert six is not None
    assert in_network("10.255.0.1", ten)
    assert in_network("::ffff:10.0.0.1", ten)
    assert not in_network("11.0.0.1", ten)
    assert not in_network("2001:db8::1", ten)
    assert in_network("2001:DB8:ffff::", six)
    assert in_network("2001:db8::1%eth0", six)
    assert not in_network("", six)


@given(st.text(max_size=40) | st.ip_addresses().map(str))
def test_whatever_is_asked_has_an_answer(text: str) -> None:
    network = parse_network(text)
    assert normalize_address(normalize_address(text)) == normalize_address(text)
    assert network is None or in_network(text, network)


@pytest.mark.parametrize(
    ("peer", "forwarded", "client"),
    [
        ("10.0.0.1", ["192.0.2.7"], "192.0.2.7"),
        ("10.0.0.1", ["::ffff:192.0.2.7"], "192.0.2.7"),
        ("10.0.0.1", ["2001:DB8::1"], "2001:db8::1"),
        # What the client wrote itself stands on the left.
        ("10.0.0.1", ["198.51.100.1, 192.0.2.7"], "192.0.2.7"),
        ("10.0.0.1", ["198.51.100.1", "192.0.2.7"], "192.0.2.7"),
        # One proxy after the other.
        ("10.0.0.1", ["198.51.100.1, 192.0.2.7, 10.9.9.9"], "192.0.2.7"),
        ("10.0.0.1", ["198.51.100.1, 192.0.2.7, fd00::5"], "192.0.2.7"),
        # Nobody else is believed.
        ("192.0.2.1", ["192.0.2.7"], "192.0.2.1"),
        ("::ffff:192.0.2.1", ["192.0.2.7"], "192.0.2.1"),
        # Nothing that can be read.
        ("10.0.0.1", [], "10.0.0.1"),
        ("10.0.0.1", [""], "10.0.0.1"),
        ("10.0.0.1", ["192.0.2.7, unknown"], "10.0.0.1"),
        ("10.0.0.1", ["192.0.2.7, 192.0.2.0/24"], "10.0.0.1"),
    ],
)
def test_who_comes_by_a_proxy_has_the_address_that_it_forwards(
    peer: str, forwarded: list[str], client: str
) -> None:
    proxies = [network for text in ("10.0.0.0/8", "fd00::5") if (network := parse_network(text))]
    assert client_address(peer, forwarded, proxies) == client
    assert client_address(peer, forwarded, []) == normalize_address(peer)
