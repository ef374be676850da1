"""The cluster: several processes, the nodes, share one PostgreSQL database, and each user lives on one of them.

Promises: any node takes any request, and forwards it to the node of its user; the users of a node that dies or ends are
taken over by the others, with everything that can go on; a node that lost its users changes none of their rows. Only
this room and the composition root know that there are nodes.
"""

from __future__ import annotations

from webclient.cluster.forwarding import Forwarding, open_client
from webclient.cluster.hops import Hop, HopEntry, Hops
from webclient.cluster.residents import NoNodeError, Residents

__all__ = ["Forwarding", "Hop", "HopEntry", "Hops", "NoNodeError", "Residents", "open_client"]
