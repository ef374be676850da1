"""A request that a server pushed, as it came on its session."""

from __future__ import annotations

from dataclasses import dataclass, field
from time import monotonic

from webclient.domain.model.common import Json, new_id


@dataclass(slots=True, kw_only=True)
class ServerRequest:
    """A request of a server as it came: its method, its exact parameters, and its call if the transport tells it.

    `id` is ours, because the server's may repeat, and `wire_id` the server's. `task_id` is the task to which it
    belongs, if it says so. `outlives_session`: it is left open for the next session, which resumes this one.
    `withdrawn` is the server's reason for cancelling it, "" without one, None while it waits. `wants_delivery`: report
    whether the answer arrived. `task` is how the server wants it as a task, None for a plain request; `reply` is then
    the whole result that is sent. `answers` is the id of the input request whose answer the response carries, if that
    is another one than this.
    """

    id: str = field(default_factory=new_id)
    method: str
    params: Json
    call_id: str | None = None
    wire_id: str | int | None = None
    task_id: str | None = None
    outlives_session: bool = False
    withdrawn: str | None = None
    wants_delivery: bool = False
    task: Json | None = None
    reply: Json | None = None
    answers: str | None = None
    came_at: float = field(default_factory=monotonic)
    ended_at: float | None = None

    @property
    def waited(self) -> float:
        """Seconds from its arrival until now, or until the server withdrew it."""
        return (self.ended_at or monotonic()) - self.came_at
