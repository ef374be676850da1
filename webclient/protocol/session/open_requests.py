"""Requests from the server that wait for an answer, and repeats of them on a resumed stream.

A server may use an id several times by mistake: the oldest request of that id is answered first.
"""

from __future__ import annotations

from collections import OrderedDict, defaultdict, deque
from dataclasses import dataclass
from hashlib import blake2b

from mcp.types import JSONRPCRequest, RequestId

from webclient.domain.model import Json, ServerRequest
from webclient.support.standard_json import dumps

MOST_REMEMBERED = 1000
"""Answered requests that a resumed stream may repeat without effect."""


@dataclass(slots=True)
class OpenRequest:
    """A request of the server without an answer; `handled`: its callback has begun, so the SDK has accepted it.

    `digest` is that of its content.
    """

    request: ServerRequest
    digest: bytes
    handled: bool = False


class OpenRequests:
    """The open requests of one session; `len()` counts them."""

    def __init__(self) -> None:
        self._open: defaultdict[RequestId, deque[OpenRequest]] = defaultdict(deque)
        self._count = 0
        self._answered: OrderedDict[RequestId, bytes] = OrderedDict()

    def __len__(self) -> int:
        return self._count

    @property
    def requests(self) -> list[ServerRequest]:
        """All open requests."""
        return [each.request for queue in self._open.values() for each in queue]

    def add(self, request_id: RequestId, request: ServerRequest) -> OpenRequest:
        """Note a new request."""
        opened = OpenRequest(request, _digest(request.method, request.params))
        self._open[request_id].append(opened)
        self._count += 1
        return opened

    def oldest(self, request_id: RequestId) -> ServerRequest | None:
        """Return the oldest open request of that id."""
        queue = self._open.get(request_id)
        return queue[0].request if queue else None

    def pop(self, request_id: RequestId) -> OpenRequest | None:
        """Remove and return the oldest open request of that id: it was answered or withdrawn."""
        queue = self._open.get(request_id)
        if not queue:
            return None
        opened = queue.popleft()
        self._count -= 1
        if not queue:
            del self._open[request_id]
        self._answered[request_id] = opened.digest
        self._answered.move_to_end(request_id)
        if len(self._answered) > MOST_REMEMBERED:
            self._answered.popitem(last=False)
        return opened

    def is_repeated(self, message: JSONRPCRequest) -> bool:
        """Return whether a message on a resumed stream is one that came before (Transports, Resumability)."""
        digest = _digest(message.method, message.params or {})
        waiting = (each.digest for each in self._open.get(message.id, ()))
        return digest in (self._answered.get(message.id), *waiting)


def _digest(method: str, params: Json) -> bytes:
    return blake2b(dumps([method, params]).encode(errors="replace"), digest_size=16).digest()
