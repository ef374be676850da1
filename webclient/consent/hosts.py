"""Names and addresses of hosts, as WHATWG's parser leaves them: what they are, and which part somebody registered."""

from __future__ import annotations

import re
from functools import cache
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address

import ada_url
from publicsuffixlist import PublicSuffixList

Address = IPv4Address | IPv6Address

_SPELLED = re.compile(r"(?<![0-9])([0-9]{1,3})[.-]([0-9]{1,3})[.-]([0-9]{1,3})[.-]([0-9]{1,3})(?![0-9])(?=.*[a-z])")
_SPELLED_IN_HEX = re.compile(r"(?:^|[.-])([0-9a-f]{8})\.(?:nip\.io|sslip\.io)$")
_SPELLED_SIX = re.compile(r"(?:^|\.)([0-9a-f-]*--[0-9a-f-]*|(?:[0-9a-f]{1,4}-){7}[0-9a-f]{1,4})\.sslip\.io$")
_MEANING_LOOPBACK = (".localhost", ".localtest.me", ".lvh.me", ".vcap.me", ".lacolhost.com", ".localho.st", ".local.gd")
"""Domains that stand for this machine, or that the world's name system sends to it, with all names below them."""

_JOINERS = frozenset("\u200c\u200d")
_NAT64 = IPv6Network("64:ff9b::/96")
_COMPATIBLE = IPv6Network("::/96")
_PRIVATE_NAMES = (".internal", ".local", ".lan", ".localdomain", ".home.arpa", ".intranet", ".corp", ".home")


@cache
def suffixes() -> PublicSuffixList:
    """Return the public suffix list, in the letters of each language; read when the first link comes."""
    return PublicSuffixList(accept_encoded_idn=False)


@cache
def _registries() -> PublicSuffixList:
    return PublicSuffixList(accept_encoded_idn=False, only_icann=True)


def is_hosted(hostname: str) -> bool:
    """Whether the name stands under a domain whose owner lends names to anybody, such as github.io."""
    name = readable(hostname.rstrip("."))
    return suffixes().publicsuffix(name) != _registries().publicsuffix(name)


def readable(hostname: str) -> str:
    """Return an internationalised hostname in its own letters (UTS #46, ToUnicode)."""
    return str(ada_url.idna_to_unicode(hostname)) if "xn--" in hostname else hostname


def is_valid(label: str) -> bool:
    """Whether a label, if it is internationalised, is one that can be decoded."""
    return not label.startswith("xn--") or readable(label) != label


def has_joiner(name: str) -> bool:
    """Whether the name holds a zero-width joiner or non-joiner, which a few languages need and nobody sees."""
    return not _JOINERS.isdisjoint(name)


def site(hostname: str) -> str:
    """Return the part of the hostname that somebody registered, or all of it for what nobody does."""
    name = hostname.rstrip(".")
    if address_of(name) or not name:
        return name
    registered = suffixes().privatesuffix(readable(name))
    return ".".join(name.split(".")[-len(registered.split(".")) :]) if registered else name


def address_of(hostname: str) -> Address | None:
    """Return the IP address that the hostname is, an IPv4 address within an IPv6 one as such; None for a name."""
    try:
        address = ip_address(hostname.strip("[]"))
    except ValueError:
        return None
    return _embedded(address) or address if isinstance(address, IPv6Address) else address


def is_loopback(hostname: str) -> bool:
    """Whether it is this machine (RFC 6761 section 6.3; 0.0.0.0 gets there as well)."""
    name = hostname.rstrip(".")
    address = address_of(name) or spelled_address(name)
    if address is not None:
        return address.is_loopback or address.is_unspecified
    return f".{name}".endswith(_MEANING_LOOPBACK)


def is_private(hostname: str) -> bool:
    """Whether it is an address, or a name, that means something else in each network; metadata services included."""
    name = hostname.rstrip(".")
    address = address_of(name) or spelled_address(name)
    if address is not None:
        return not address.is_loopback and not address.is_global and not address.is_multicast
    return name.endswith(_PRIVATE_NAMES)


def spelled_address(hostname: str) -> Address | None:
    """Return the address that a name spells, as `10.0.0.1.nip.io` and `127-0-0-1.sslip.io` do, or None."""
    name = hostname.rstrip(".")
    if address_of(name):
        return None
    found = _SPELLED.search(name) or _SPELLED_IN_HEX.search(name)
    if found:
        text = ".".join(found.groups()) if found.lastindex == 4 else str(IPv4Address(int(found[1], 16)))
        return address_of(text)
    six = _SPELLED_SIX.search(name)
    return address_of(six[1].replace("-", ":")) if six else None


def _embedded(address: IPv6Address) -> IPv4Address | None:
    if address in _NAT64 or (address in _COMPATIBLE and int(address) > 0xFFFF):
        return IPv4Address(int(address) & 0xFFFF_FFFF)
    return address.ipv4_mapped or address.sixtofour
