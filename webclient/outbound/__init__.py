"""Connections to addresses that a server names, without being led where that server must not lead (SSRF).

Promises: a connection goes to an address that was checked, also if the name leads elsewhere later; a server leads to
the internet, to the zone in which it is itself, and to networks that the operator names; over https, except on this
machine. With several users, a server that a user has added is itself in the internet or in networks of the operator
(`ServerGuard`, `GuardedTransport`). `Poster` sends to addresses that a person named: the internet and the networks of
the operator. What is sent and fetched, and what a failure means, is the business of the rooms above.
"""

from webclient.outbound.addresses import Network, Zone, networks_of, zone_of
from webclient.outbound.checked_transport import (
    CheckedTransport,
    ForbiddenAddressError,
    GuardedTransport,
    UnknownHostError,
)
from webclient.outbound.posting import Fault, Posted, Poster
from webclient.outbound.server_guard import ServerGuard
from webclient.outbound.urls import NotHttpsError, check_url, is_loopback, zones_open_to

__all__ = [
    "CheckedTransport",
    "Fault",
    "ForbiddenAddressError",
    "GuardedTransport",
    "Network",
    "NotHttpsError",
    "Posted",
    "Poster",
    "ServerGuard",
    "UnknownHostError",
    "Zone",
    "check_url",
    "is_loopback",
    "networks_of",
    "zone_of",
    "zones_open_to",
]
