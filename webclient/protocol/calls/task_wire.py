"""The requests on the tasks of a server, in either generation, and how it describes a task."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from webclient.domain.model import Json, Task
from webclient.protocol.messages.server_error import ServerError


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskReport:
    """A task, as its server describes it.

    In 2026-07-28 that includes `entries`, the input requests that it waits for, by its keys, and `answer`, the result
    or the error of a task that has ended. 2025-11-25 has messages of their own for both.
    """

    task: Task
    entries: Mapping[str, Any] = field(default_factory=dict)
    answer: Json | ServerError | None = None


class TaskWire(Protocol):
    """The requests on tasks in one session. All raise ServerError, and MalformedResultError."""

    async def get(self, task_id: str) -> TaskReport:
        """Ask how a task stands."""

    async def result(self, task_id: str) -> Json:
        """Wait for the result of the call that runs as the task (2025-11-25)."""

    async def update(self, task_id: str, answers: Json) -> None:
        """Send answers to input requests of the task, by their keys (2026-07-28)."""

    async def cancel(self, task_id: str) -> Task | None:
        """Cancel a task; return what the server tells of it then, if that is how it answers."""

    async def listen(self, task_id: str, agreed: Callable[[], None]) -> bool:
        """Have the server notify of a task until its stream ends; return whether it agreed to (2026-07-28)."""

    async def list(self) -> Sequence[Task]:
        """List the tasks that the server has for us (2025-11-25)."""
