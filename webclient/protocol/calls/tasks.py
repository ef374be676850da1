"""Gives the tasks of a session, in the generation that it speaks."""

from __future__ import annotations

from mcp.types import CONNECTION_CLOSED
from mcp.types.version import MODERN_PROTOCOL_VERSIONS

from webclient.protocol.calls.push_tasks import PushTasks
from webclient.protocol.calls.round_tasks import RoundTasks
from webclient.protocol.calls.task_wire import TaskWire
from webclient.protocol.messages.server_error import ServerError, Trouble
from webclient.protocol.session.session import Session


def tasks_of(session: Session) -> TaskWire:
    """Return the requests on tasks in the session. Raises ServerError if it has ended."""
    if session.client is None:
        raise ServerError(CONNECTION_CLOSED, "The session has ended", trouble=Trouble.NOT_SENT)
    if session.client.protocol_version in MODERN_PROTOCOL_VERSIONS:
        return RoundTasks(session.client)
    return PushTasks(session.client)
