"""The API of a server's tasks: list them, and take one up that was not started here."""

from __future__ import annotations

from fastapi import APIRouter

from webclient.web.api.bodies import TaskBody
from webclient.web.api.call_shapes import CallShape, TaskShape, call_shape
from webclient.web.api.shapes import Maybe, Shape
from webclient.web.http import ServerDep, ServicesDep, problems

router = APIRouter(prefix="/servers/{server_id}/tasks", tags=["servers"])


class ListedTaskShape(TaskShape):
    """A task that a server lists; `call_id` is the newest call here that follows it or did."""

    call_id: Maybe[str] = None


class TasksShape(Shape):
    """The tasks of a server."""

    tasks: list[ListedTaskShape]


@router.get("", responses=problems(404, 409))
async def list_tasks(services: ServicesDep, server: ServerDep) -> TasksShape:
    """List the tasks that the server has for the user; 409 if it does not list them."""
    listed = await services.server_tasks.list(server)
    return TasksShape(
        tasks=[ListedTaskShape.of(each.task, call_id=each.call.id if each.call else None) for each in listed]
    )


@router.post("", status_code=202, responses=problems(400, 404, 409, 413, 415, 422))
async def take_up_task(services: ServicesDep, server: ServerDep, body: TaskBody) -> CallShape:
    """Follow a task as a call, whose questions come to the inbox; a task that a call follows already gives that one.

    The name of the call is the ID of the task, since the server does not say which tool it runs.
    """
    call = await services.server_tasks.take_up(server, body.task_id)
    return call_shape(call, cursor=services.calls.cursor(call.id))
