"""A request that a server pushed, as it came on its session."""

from __future__ import annotations

from dataclasses import dataclass, field
from time import monotonic

from webclient.model.common import Json, new_id


@dataclass(slots=True, kw_only=True)
class ServerRequest:
    """A request of a server as it came: its method, its exact parameters, its call if the transport tells it.

    `id` is ours; that of the server may repeat. `withdrawn` is why the server has cancelled it, in its own words, "" if
    it gave no reason, None while it waits. `wants_delivery`: whether the answer arrived is to be
    reported.
    """

    id: str = field(default_factory=new_id)
    method: str
    params: Json
    call_id: str | None = None
    withdrawn: str | None = None
    wants_delivery: bool = False
    came_at: float = field(default_factory=monotonic)
    ended_at: float | None = None

    @property
    def waited(self) -> float:
        """Seconds that the server has waited for an answer, or did until it withdrew the request."""
        return (self.ended_at or monotonic()) - self.came_at
