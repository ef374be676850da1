"""Connections to addresses that a server names, without being led where that server must not lead (SSRF).

Promises: a connection goes to an address that was checked, also if the name leads elsewhere later; a server leads to
the internet, to the zone in which it is itself, and to networks that the operator names; over https, except on this
machine. With several users, a server that a user has added is itself in the internet or in networks of the operator
(`ServerGuard`, `GuardedTransport`). `Poster` sends to addresses that a person named: the internet and the networks of
the operator. All connections of this program trust the same certificate authorities (`tls_context`), and have the same
reasons when none can be made (`network_reason`). What is sent and fetched is the business of the rooms above.
"""

from webclient.network.addresses import Network, Zone, networks_of, zone_of
from webclient.network.checked_transport import (
    CheckedTransport,
    ForbiddenAddressError,
    GuardedTransport,
    UnknownHostError,
)
from webclient.network.loops import LOOP_HEADER, arrived_through, is_loop, onward_header
from webclient.network.network_faults import network_reason, network_words
from webclient.network.outgoing import tls_context
from webclient.network.posting import Fault, Posted, Poster
from webclient.network.spans import open_spans
from webclient.network.urls import NotHttpsError, ServerGuard, check_url, is_loopback, zones_open_to

__all__ = [
    "LOOP_HEADER",
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
    "arrived_through",
    "check_url",
    "is_loop",
    "is_loopback",
    "network_reason",
    "network_words",
    "networks_of",
    "onward_header",
    "open_spans",
    "tls_context",
    "zone_of",
    "zones_open_to",
]
