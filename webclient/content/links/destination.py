"""Findings about the destination: this computer, a private network, an IP address instead of a name, an odd port."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from webclient.content.links.findings import Finding, info, warn
from webclient.content.links.hosts import address_of, is_loopback, is_private, spelled_address
from webclient.domain.i18n import gettext as _

LONG_HOST = 50
OVERLONG_HOST = 75
"""Characters of a host name: hosts of big clouds exceed the first, and hardly any honest host the second."""

FIRST_FREE_PORT = 1024
"""Lower ports belong to well-known services (RFC 6335, system ports), which seldom serve web pages."""

Found = Callable[[str, str], Finding]


def findings(*, scheme: str, hostname: str, port: str, server: str | None) -> Iterator[Finding]:
    """Yield the findings about the destination; `server` is the MCP server's host, None if local.

    A link to the server's own host, or from a local server to this computer, is information and not a warning.
    """
    loopback = is_loopback(hostname)
    at_home = loopback and (server is None or is_loopback(server))
    expected = info if at_home or hostname == server else warn
    if loopback:
        message = (
            _("Opens a program on this computer.")
            if at_home
            else _("Opens a program on this computer. Only a server on it should send you there.")
        )
        yield expected("loopback", message)
    elif scheme == "http":
        message = _("Not encrypted (http): others on the network can read and change what you see and enter.")
        yield warn("insecure-http", message)
    if port:
        yield _port(port, info if loopback or hostname == server else warn)
    yield from _name(hostname, loopback, expected)


def _number(loopback: bool) -> str:
    if loopback:
        return _("The address is a bare IP number ({name}) instead of a name.")
    return _("The address is a bare IP number ({name}), so you cannot tell who owns it.")


def _port(port: str, expected: Found) -> Finding:
    found = expected if int(port) < FIRST_FREE_PORT else info
    return found("port", _("Uses non-standard port {port}.").format(port=port))


def _name(hostname: str, loopback: bool, expected: Found) -> Iterator[Finding]:
    name = hostname.rstrip(".")
    if name != hostname:
        message = _("The host name ends with a dot, so your browser treats it as a different site from {name}.")
        yield warn("trailing-dot", message.format(name=name))
    spelled = spelled_address(name)
    if spelled and not spelled.is_global:
        message = _("The host name contains the IP address {address} and leads there.")
        yield expected("ip-literal", message.format(address=spelled))
    elif address_of(name):
        yield expected("ip-literal", _number(loopback).format(name=name))
    elif "." not in name and not loopback:
        message = _("“{name}” has no dot, so it is a name within your own network.")
        yield expected("single-label", message.format(name=name))
    if is_private(name):
        yield expected("ip-private", _("Leads into your private network, which outsiders cannot reach."))
    if len(name) > LONG_HOST:
        found = warn if len(name) > OVERLONG_HOST else info
        yield found(
            "long-host",
            _("The host name is so long that its end, which is the part that counts, is easily overlooked."),
        )
