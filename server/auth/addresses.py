"""Client addresses and networks, in normalized form."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from ipaddress import IPv4Address, IPv4Network, IPv6Network, ip_address, ip_network
from typing import Final

Network = IPv4Network | IPv6Network
#: The prefix of IPv4 addresses in IPv6: ``::ffff:192.0.2.7``.
_MAPPED: Final = IPv6Network("::ffff:0:0/96")


@lru_cache(maxsize=4096)
def parse_network(text: str) -> Network | None:
    """Parse a network such as ``10.0.0.0/8``, or an address as a network of one. IPv4 may be in any notation.
    Returns None if it is neither, or if host bits are set.
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
    """Return an address or network in its shortest notation; other text unchanged."""
    network = parse_network(text)
    if network is None:
        return text
    return str(network.network_address) if network.num_addresses == 1 else str(network)


def in_network(address: str, network: Network) -> bool:
    """Return whether an address is in a network; false if it is not an address."""
    host = parse_network(address.partition("%")[0])
    return host is not None and host.version == network.version and host.network_address in network


def client_address(peer: str, forwarded: Sequence[str], proxies: Sequence[Network]) -> str:
    """Return the address of the client: ``peer`` or, if that is one of the ``proxies``, the last address in
    ``forwarded`` that is not a proxy. ``forwarded`` has the values of ``X-Forwarded-For``, to which each
    proxy appends its peer; the client can forge what comes before. The search ends at what is not an address.
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
    """Return the unit of limits for an address: with IPv6 its /64 network, because one owner has
    all of it.
    """
    try:
        known = ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if isinstance(known, IPv4Address):
        return str(known)
    mapped = known.ipv4_mapped
    return str(mapped) if mapped else str(IPv6Network((known, 64), strict=False))
