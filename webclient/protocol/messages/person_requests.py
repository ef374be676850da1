"""The requests of servers that a person answers; in 2025-11-25 a server may want each of them as a task (Tasks)."""

from __future__ import annotations

from webclient.domain.model import Json

PERSON_REQUESTS: dict[str, Json] = {
    "elicitation/create": {"action": "cancel"},
    "sampling/createMessage": {"role": "assistant", "content": {"type": "text", "text": ""}, "model": ""},
}
"""Their methods, each with a result that the SDK passes where it does not pass `{task}`; the tap sends that."""


def task_requests(capabilities: Json) -> Json:
    """Return which of them may be tasks, in the shape of the capability `tasks`.

    `capabilities` are the announced ones; a request that was not announced may be no task.
    """
    steps = [method.split("/") for method in PERSON_REQUESTS]
    return {name: {action: {}} for name, action in steps if name in capabilities}
