"""The API of the wire log: the JSON-RPC messages of a server or of a call, as JSON Lines."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query

from webclient.domain.model import AuditAction, ServerKey
from webclient.protocol.wire_log import Direction, LogFilter
from webclient.services import Services
from webclient.support.standard_json import dumps
from webclient.web.api.history import JsonLines
from webclient.web.http import CallDep, ServerDep, ServicesDep, problems

router = APIRouter(tags=["log"])

_LINES: dict[int | str, dict[str, Any]] = {
    200: {
        "description": (
            "One message per line, oldest first: `{number, at, direction, kind, method, id?, protocol_version?, "
            "call_ids?, bytes, answers?, answered_by?, repeats?, took_ms?, made_here?, message?, beginning?}`. "
            "`answers` and `answered_by` are numbers of other messages; `repeats` counts earlier pings of an idle "
            "server. A message that is too large for the log has its `beginning` instead of `message`. Values that "
            "may be secrets are masked."
        ),
        "content": {JsonLines.media_type: {"schema": {"type": "string"}}},
    }
}


async def _wanted(
    *,
    method: Annotated[str, Query(max_length=200, description="The method of the message or its request.")] = "",
    direction: Direction | None = None,
    q: Annotated[str, Query(max_length=200, description="A text in the message; masked values are not found.")] = "",
    after: Annotated[int, Query(ge=0, description="The number of the message before the first one.")] = 0,
) -> LogFilter:
    return LogFilter(method=method, direction=direction, text=q, after=after)


WantedDep = Annotated[LogFilter, Depends(_wanted)]


@router.get("/servers/{server_id}/log.jsonl", response_class=JsonLines, responses=_LINES | problems(404, 422))
async def export_server_log(services: ServicesDep, wanted: WantedDep, server: ServerDep) -> JsonLines:
    """Export the messages between this program and a server."""
    await services.store.audit.add(AuditAction.WIRE_LOG_EXPORTED, object=server.id, details={"label": server.label})
    return _export(services, server.key, wanted)


@router.get("/calls/{call_id}/log.jsonl", response_class=JsonLines, responses=_LINES | problems(404, 422))
async def export_call_log(services: ServicesDep, wanted: WantedDep, call: CallDep) -> JsonLines:
    """Export the messages of a call."""
    await services.store.audit.add(AuditAction.WIRE_LOG_EXPORTED, object=call.id, details={"label": call.server_label})
    return _export(services, call.server_key, replace(wanted, call_id=call.id))


def _export(services: Services, key: ServerKey, wanted: LogFilter) -> JsonLines:
    headers = {"Content-Disposition": 'attachment; filename="log.jsonl"'}
    return JsonLines(_lines(services, key, wanted), headers=headers)


async def _lines(services: Services, key: ServerKey, wanted: LogFilter) -> AsyncIterator[str]:
    async for entry in services.log_reader.all(key, wanted):
        yield dumps(entry.as_json) + "\n"
