"""Whether a tool runs as a task: its server says that it must, may or must not. Where it may, the person chooses."""

from __future__ import annotations

from dataclasses import dataclass

from webclient.domain.model import Server
from webclient.servers.connections import TaskSupport, task_support
from webclient.services import Services
from webclient.web.pages.posted_form import Posted, first
from webclient.web.pages.servers.call_forms import CallForm

CONTROL = "task"
"""The name of the box to tick."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskChoice:
    """The choice for one tool: the server's rule for it, and whether the box is ticked."""

    support: TaskSupport = TaskSupport.FORBIDDEN
    ticked: bool = False

    @property
    def is_open(self) -> bool:
        """Whether the person chooses."""
        return self.support is TaskSupport.OPTIONAL

    @property
    def is_forced(self) -> bool:
        """Whether the tool runs as a task in any case."""
        return self.support is TaskSupport.REQUIRED

    @property
    def as_task(self) -> bool:
        """Whether the tool is run as a task."""
        return self.is_forced or (self.is_open and self.ticked)


async def read_task_choice(
    services: Services, server: Server, call_form: CallForm, posted: Posted | None = None
) -> TaskChoice:
    """Return the choice for a call form: as `posted`, or else as the person chose it last for this tool."""
    if call_form.kind != "tool":
        return TaskChoice()
    support = task_support(call_form.item, services.connections.status(server.key).capabilities)
    if support is not TaskSupport.OPTIONAL:
        return TaskChoice(support=support)
    if posted is not None:
        return TaskChoice(support=support, ticked=bool(first(posted, CONTROL)))
    ticked = await services.store.of(server.user_id).task_choices.get(server.id, call_form.name)
    return TaskChoice(support=support, ticked=ticked)


async def remember(services: Services, server: Server, call_form: CallForm, choice: TaskChoice) -> None:
    """Remember what the person chose for this tool, if they had a choice."""
    if choice.is_open:
        choices = services.store.of(server.user_id).task_choices
        await choices.save(server.id, call_form.name, as_task=choice.ticked)
