"""Addresses from which people come, and networks of them, in one spelling each."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from ipaddress import IPv4Address, IPv4Network, IPv6Network, ip_address, ip_network
from typing import Final

__all__ = ["Network", "client_address", "parse_network", "client_key", "normalize_address", "in_network"]

Network = IPv4Network | IPv6Network
#: Where IPv4 addresses are in those of IPv6: ``::ffff:192.0.2.7``.
_MAPPED: Final = IPv6Network("::ffff:0:0/96")


@lru_cache(maxsize=4096)
def parse_network(text: str) -> Network | None:
    """The network that is written so, as ``10.0.0.0/8``, or of an address the one with it alone; of IPv4 in
    whatever spelling. None: it is neither, or bits are set behind the length of the network.
    """
    try:
        network: Network = ip_network(text)
    except ValueError:
        return None
    if isinstance(network, IPv6Network) and network.subnet_of(_MAPPED):
        address = network.network_address.ipv4_mapped
        return IPv4Network((address, network.prefixlen - _MAPPED.prefixlen))
    return network


def normalize_address(text: str) -> str:
    """An address or network in its shortest spelling; what is neither as it is."""
    network = parse_network(text)
    if network is None:
        return text
    return str(network.network_address) if network.num_addresses == 1 else str(network)


def in_network(address: str, network: Network) -> bool:
    """Whether an address is of a network; what is no address is of none."""
    host = parse_network(address.partition("%")[0])
    return host is not None and host.version == network.version and host.network_address in network


def client_address(peer: str, forwarded: Sequence[str], proxies: Sequence[Network]) -> str:
    """The address of the client at the other end of a connection: ``peer``, or if that is one of the
    ``proxies`` the last address in ``forwarded`` that is none of them. ``forwarded``: the values of
    ``X-Forwarded-For``, to which each proxy appends its own peer; what stands before that the client may have
    written itself. What cannot be read as an address ends the search.
    """
    client = normalize_address(peer)
    hops = [hop.strip() for value in forwarded for hop in value.split(",")]
    while hops and any(in_network(client, proxy) for proxy in proxies):
        hop = normalize_address(hops.pop())
        network = parse_network(hop)
        if network is None or network.num_addresses > 1:
            break
        client = hop
    return client


def client_key(address: str) -> str:
    """What counts as one address: of IPv6 the network of 64 bits, for whoever has one of its has them all."""
    try:
        known = ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if isinstance(known, IPv4Address):
        return str(known)
    mapped = known.ipv4_mapped
    return str(mapped) if mapped else str(IPv6Network((known, 64), strict=False))
