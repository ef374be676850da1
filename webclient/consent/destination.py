"""Where in the world a link leads: this machine, a network of one's own, an address instead of a name, an odd port."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from webclient.consent.findings import Finding, info, warn
from webclient.consent.hosts import address_of, is_loopback, is_private, spelled_address
from webclient.i18n import gettext as _

LONG_HOST = 50
OVERLONG_HOST = 75
"""Characters of a hostname: the hosts of big clouds have more than the first, and hardly any more than the second."""

FIRST_FREE_PORT = 1024
"""Below it are the ports of well-known services (RFC 6335, system ports); what speaks there is seldom a web page."""

Found = Callable[[str, str], Finding]


def findings(*, scheme: str, hostname: str, port: str, server: str | None) -> Iterator[Finding]:
    """Give what is special about the place; `server` is the MCP server's own hostname, None if it runs here.

    A server that sends one to its own host, or from this machine to this machine, is no reason for alarm.
    """
    loopback = is_loopback(hostname)
    at_home = loopback and (server is None or is_loopback(server))
    expected = info if at_home or hostname == server else warn
    if loopback:
        message = _("It leads to this very computer. Only programs that run on it should send you there.")
        yield expected("loopback", message)
    elif scheme == "http":
        message = _("It is not encrypted (http): others on the way can read and change what you see and enter.")
        yield warn("insecure-http", message)
    if port:
        yield _port(port, info if loopback or hostname == server else warn)
    yield from _name(hostname, loopback, expected)


def _port(port: str, expected: Found) -> Finding:
    found = expected if int(port) < FIRST_FREE_PORT else info
    return found("port", _("It goes to a door of its own, port {port}, instead of the usual one.").format(port=port))


def _name(hostname: str, loopback: bool, expected: Found) -> Iterator[Finding]:
    name = hostname.rstrip(".")
    if name != hostname:
        message = _("The name ends with a dot, which makes it another site to your browser than {name}.")
        yield warn("trailing-dot", message.format(name=name))
    spelled = spelled_address(name)
    if spelled and not spelled.is_global:
        message = _("The name spells an IP address, {address}, and leads there.")
        yield expected("ip-literal", message.format(address=spelled))
    elif address_of(name):
        message = _("It names a computer by its number, {name}, so that nothing tells you whose it is.")
        yield expected("ip-literal", message.format(name=name))
    elif "." not in name and not loopback:
        message = _("“{name}” has no dot: it is a name within your own network.")
        yield expected("single-label", message.format(name=name))
    if is_private(name):
        yield expected("ip-private", _("It leads into your own network, to what outsiders cannot reach."))
    if len(name) > LONG_HOST:
        found = warn if len(name) > OVERLONG_HOST else info
        yield found("long-host", _("The name of the site is so long that its end, which counts, is easily overlooked."))
