"""The requests on the skills of a server: the two that the extension adds, and reads of resources and their folders.

Each raises ServerError and MalformedResultError. What came is returned as it is, for rules that know nothing of the SDK
(SEP-2640, final).
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, Literal

from mcp.types import (
    CONNECTION_CLOSED,
    PaginatedRequestParams,
    ReadResourceRequest,
    ReadResourceRequestParams,
    Request,
    RequestParams,
)

from webclient.domain.model import Json
from webclient.protocol.messages.checked_result import prompt_result
from webclient.protocol.messages.server_error import MalformedResultError, ServerError, Trouble
from webclient.protocol.session.session import Session

MOST_PAGES = 100
"""Pages that are read of one list, which may be endless."""

MOST_ENTRIES = 1000
"""Entries that are read of one list."""

MOST_BYTES = 4 * 2**20
"""Bytes of all entries that are read of one list."""


class _SkillParams(RequestParams):
    uri: str


class _FolderParams(PaginatedRequestParams):
    uri: str


class _ListSkills(Request[PaginatedRequestParams, Literal["skills/list"]]):
    method: Literal["skills/list"] = "skills/list"
    params: PaginatedRequestParams


class _GetSkill(Request[_SkillParams, Literal["skills/get"]]):
    method: Literal["skills/get"] = "skills/get"
    params: _SkillParams


class _ReadDirectory(Request[_FolderParams, Literal["resources/directory/read"]]):
    method: Literal["resources/directory/read"] = "resources/directory/read"
    params: _FolderParams


async def list_skills(session: Session) -> tuple[list[object], bool]:
    """Return the entries of `skills/list`, and whether there are more, which were not read."""

    def page(cursor: str | None) -> Request[Any, Any]:
        return _ListSkills(params=PaginatedRequestParams(cursor=cursor))

    return await _all(session, page, "skills")


async def get_skill(session: Session, uri: str) -> object:
    """Return the entry of one skill, also of one that is not listed (`skills/get`)."""
    return (await _send(session, _GetSkill(params=_SkillParams(uri=uri)))).get("skill")


async def read_directory(session: Session, uri: str) -> tuple[list[object], bool]:
    """Return what is directly in a folder, and whether there is more; only where a server declares `directoryRead`."""

    def page(cursor: str | None) -> Request[Any, Any]:
        return _ReadDirectory(params=_FolderParams(uri=uri, cursor=cursor))

    return await _all(session, page, "resources")


async def read_resource(session: Session, uri: str) -> Json:
    """Return the result of `resources/read`; the server may want to ask something first."""
    return await _send(session, ReadResourceRequest(params=ReadResourceRequestParams(uri=uri)))


async def _all(
    session: Session, page_at: Callable[[str | None], Request[Any, Any]], key: str
) -> tuple[list[object], bool]:
    found: list[object] = []
    size, cursor = 0, None
    for _page in range(MOST_PAGES):
        page = await _send(session, page_at(cursor))
        if not isinstance(entries := page.get(key), list):
            raise MalformedResultError(f"{key}: not a list")
        for entry in entries:
            size += len(json.dumps(entry))
            if len(found) >= MOST_ENTRIES or size > MOST_BYTES:
                return found, True
            found.append(entry)
        following = page.get("nextCursor")
        if not isinstance(following, str) or following in ("", cursor):
            return found, False
        cursor = following
    return found, True


async def _send(session: Session, request: Request[Any, Any]) -> Json:
    if session.client is None:
        raise ServerError(CONNECTION_CLOSED, "The session has ended", trouble=Trouble.NOT_SENT)
    return await prompt_result(session.client, request)
