"""Classifies host names and addresses from the WHATWG parser, and finds the registered part of a name."""

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
"""Domains that mean this computer or that DNS resolves to it, with all names below them."""

_JOINERS = frozenset("\u200c\u200d")
_NAT64 = IPv6Network("64:ff9b::/96")
_COMPATIBLE = IPv6Network("::/96")
_PRIVATE_NAMES = (".internal", ".local", ".lan", ".localdomain", ".home.arpa", ".intranet", ".corp", ".home")


@cache
def suffixes() -> PublicSuffixList:
    """Return the public suffix list, in native letters; loaded for the first link."""
    return PublicSuffixList(accept_encoded_idn=False)


@cache
def _registries() -> PublicSuffixList:
    return PublicSuffixList(accept_encoded_idn=False, only_icann=True)


def is_hosted(hostname: str) -> bool:
    """Return whether the name is below a domain that anyone can use, such as github.io."""
    name = readable(hostname.rstrip("."))
    return suffixes().publicsuffix(name) != _registries().publicsuffix(name)


def readable(hostname: str) -> str:
    """Return an internationalised host name in its native letters (UTS #46, ToUnicode)."""
    return str(ada_url.idna_to_unicode(hostname)) if "xn--" in hostname else hostname


def is_valid(label: str) -> bool:
    """Return whether a label is plain, or internationalised and decodable."""
    return not label.startswith("xn--") or readable(label) != label


def has_joiner(name: str) -> bool:
    """Return whether the name contains an invisible zero-width joiner or non-joiner."""
    return not _JOINERS.isdisjoint(name)


def site(hostname: str) -> str:
    """Return the registered part of the host name, or else all of it."""
    name = hostname.rstrip(".")
    if address_of(name) or not name:
        return name
    registered = suffixes().privatesuffix(readable(name))
    return ".".join(name.split(".")[-len(registered.split(".")) :]) if registered else name


def address_of(hostname: str) -> Address | None:
    """Return the IP address, or None for a name; IPv4 inside IPv6 becomes IPv4."""
    try:
        address = ip_address(hostname.strip("[]"))
    except ValueError:
        return None
    return _embedded(address) or address if isinstance(address, IPv6Address) else address


def is_loopback(hostname: str) -> bool:
    """Return whether it is this computer (RFC 6761 section 6.3); 0.0.0.0 leads there, too."""
    name = hostname.rstrip(".")
    address = address_of(name) or spelled_address(name)
    if address is not None:
        return address.is_loopback or address.is_unspecified
    return f".{name}".endswith(_MEANING_LOOPBACK)


def is_private(hostname: str) -> bool:
    """Return whether it is a private address or name, cloud metadata services included."""
    name = hostname.rstrip(".")
    address = address_of(name) or spelled_address(name)
    if address is not None:
        return not address.is_loopback and not address.is_global and not address.is_multicast
    return name.endswith(_PRIVATE_NAMES)


def spelled_address(hostname: str) -> Address | None:
    """Return the address inside a name such as `10.0.0.1.nip.io` or `127-0-0-1.sslip.io`."""
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
