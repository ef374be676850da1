"""A hop: what a node says to another about a request that it forwards, sealed for that node and for a moment.

A request with a hop was authenticated and checked by the node that sends it. Safe: only who has the keys that seal this
program's secrets can make one, and it is good for one node, method and address.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from pydantic import TypeAdapter
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Receive, Scope, Send

from webclient.auth import Principal
from webclient.domain.i18n import gettext as _
from webclient.store import LostKeyError, Sealer

HEADER = "x-webclient-hop"

GOOD_FOR = 30.0
"""Seconds for which a hop is good."""

_PRINCIPAL = TypeAdapter(Principal | None)


@dataclass(frozen=True, slots=True)
class Hop:
    """The user on whose node the request is to be handled, who sends it, and how it reached the first node."""

    user_id: str
    principal: Principal | None
    client: tuple[str, int] | None
    scheme: str


class Hops:
    """Seals and opens the hops of the node `node_id`, by a `clock` that all nodes have."""

    def __init__(self, sealer: Sealer, node_id: str, clock: Callable[[], float]) -> None:
        self._sealer = sealer
        self._clock = clock
        self.node_id = node_id

    def seal(self, hop: Hop, to: str, method: str, target: bytes) -> str:
        """Return the header of a request to the node `to`."""
        values = {
            "user_id": hop.user_id,
            "principal": _PRINCIPAL.dump_python(hop.principal, mode="json"),
            "client": hop.client,
            "scheme": hop.scheme,
            "at": self._clock(),
        }
        return self._sealer.seal(values, "hops", to, method, target.decode("latin-1"))

    def open(self, header: str, method: str, target: bytes) -> Hop | None:
        """Return the hop of a request to this node; None if it is not good."""
        try:
            values = self._sealer.open(header, "hops", self.node_id, method, target.decode("latin-1"))
        except LostKeyError:
            return None
        if abs(self._clock() - values["at"]) > GOOD_FOR:
            return None
        principal = _PRINCIPAL.validate_python(values["principal"])
        client = values["client"] and (values["client"][0], values["client"][1])
        return Hop(values["user_id"], principal, client, values["scheme"])


def target_of(scope: Scope) -> bytes:
    """Return the path and the query of a request as they were sent."""
    path: bytes = scope.get("raw_path") or scope["path"].encode()
    query: bytes = scope["query_string"]
    return path + b"?" + query if query else path


class HopEntry:
    """Opens the hop of a forwarded request, and refuses with 400 one that is not good."""

    def __init__(self, app: ASGIApp, hops: Hops) -> None:
        self.app = app
        self.hops = hops

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        target = target_of(scope)
        scope.setdefault("state", {})["target"] = target
        header = Headers(scope=scope).get(HEADER)
        if header is not None:
            hop = self.hops.open(header, scope["method"], target)
            if hop is None:
                raise HTTPException(400, _("This request was forwarded by a node with other keys, or long ago."))
            scope = {**scope, "client": hop.client, "scheme": hop.scheme}
            scope["state"] |= {"hop": hop, "principal": hop.principal}
        await self.app(scope, receive, send)
