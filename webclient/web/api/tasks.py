"""The API of a server's tasks: list them, and take one up that was not started here."""

from __future__ import annotations

from fastapi import APIRouter

from webclient.calls import ListedTask
from webclient.web.api.bodies import TaskBody
from webclient.web.api.serialize import call_shape, task_shape
from webclient.web.api.shapes import CallShape
from webclient.web.api.task_shapes import ListedTaskShape, TasksShape
from webclient.web.http import ServerDep, ServicesDep, problems

router = APIRouter(prefix="/servers/{server_id}/tasks", tags=["servers"])


@router.get("", responses=problems(404, 409))
async def list_tasks(services: ServicesDep, server: ServerDep) -> TasksShape:
    """List the tasks that the server has for the user; 409 if it does not list them."""
    return {"tasks": [_shape(listed) for listed in await services.server_tasks.list(server)]}


@router.post("", status_code=202, responses=problems(400, 404, 409, 413, 415, 422))
async def take_up_task(services: ServicesDep, server: ServerDep, body: TaskBody) -> CallShape:
    """Follow a task as a call, whose questions come to the inbox; a task that a call follows already gives that one.

    The name of the call is the ID of the task, since the server does not say which tool it runs.
    """
    call = await services.server_tasks.take_up(server, body.task_id)
    return call_shape(call, cursor=services.calls.cursor(call.id))


def _shape(listed: ListedTask) -> ListedTaskShape:
    call = {"call_id": listed.call.id} if listed.call else {}
    return task_shape(listed.task) | call  # type: ignore[return-value]  # the keys that may be missing are NotRequired
