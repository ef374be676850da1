"""The network zones of addresses, so that no server makes us fetch from a network that it could not reach itself."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network


class Zone(StrEnum):
    """Where an address is: on this machine, in a private network, on one link, or on the internet."""

    LOOPBACK = "loopback"
    PRIVATE = "private"
    LINK_LOCAL = "link-local"
    PUBLIC = "public"
    FORBIDDEN = "forbidden"


_NAT64 = IPv6Network("64:ff9b::/96")
_GLOBAL = IPv6Network("2000::/3")
_NOT_GLOBAL = tuple(map(IPv6Network, ("2002::/16", "3fff::/20", "2001:db8::/32", "2001::/32")))
_PRIVATE = IPv6Network("fc00::/7")
_PLATFORMS = frozenset({IPv4Address("168.63.129.16"), IPv4Address("100.100.100.200"), IPv4Address("192.0.0.192")})
"""Addresses at which clouds serve the credentials of a machine, and that look public."""


def zone_of(address: str) -> Zone:
    """Return the zone of an address in its textual form. Raises ValueError.

    `is_global` of the standard library is not enough: it counts NAT64, 6to4 and multicast as global.
    """
    return _zone(_unwrapped(ip_address(address.partition("%")[0])))


def networks_of(texts: Iterable[str]) -> tuple[Network, ...]:
    """Return the networks that the texts name, such as `10.0.0.0/8`. Raises ValueError."""
    return tuple(map(ip_network, texts))


def is_in(address: str, networks: Iterable[Network]) -> bool:
    """Return whether an address is in one of the networks. Raises ValueError."""
    found = _unwrapped(ip_address(address.partition("%")[0]))
    return any(found in network for network in networks)


def _unwrapped(address: Address) -> Address:
    """Return the IPv4 address within an IPv6 address that leads to one."""
    if isinstance(address, IPv4Address):
        return address
    if address.ipv4_mapped:
        return address.ipv4_mapped
    return IPv4Address(int(address) & 0xFFFFFFFF) if address in _NAT64 else address


def _zone(address: Address) -> Zone:
    if address.is_loopback:
        return Zone.LOOPBACK
    if address.is_link_local:
        return Zone.LINK_LOCAL
    if address in _PLATFORMS or address.is_multicast or address.is_unspecified:
        return Zone.FORBIDDEN
    if isinstance(address, IPv6Address):
        return _zone_of_six(address)
    if address.is_reserved:
        return Zone.FORBIDDEN
    return Zone.PUBLIC if address.is_global else Zone.PRIVATE


def _zone_of_six(address: IPv6Address) -> Zone:
    if address in _PRIVATE:
        return Zone.PRIVATE
    is_global = address in _GLOBAL and not any(address in each for each in _NOT_GLOBAL)
    return Zone.PUBLIC if is_global and address.is_global else Zone.FORBIDDEN
