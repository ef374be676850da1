"""A call with an opened link and an answered form, for tests that need no server."""

from __future__ import annotations

from dataclasses import replace

from webclient.domain.model import Call, CallKind, InputRequest, Origin, Requester, RequestState

CALL = Call(user_id="ada", server_id="s1", server_label="it", kind=CallKind.TOOL, name="t")
LINK = InputRequest(
    user_id="ada",
    server_id="s1",
    call_id=CALL.id,
    kind="url",
    origin=Origin.ROUND,
    params={"mode": "url", "url": "https://example.com/", "message": "Go", "x-n": 1},
    asked_by=Requester(label="it", address="http://127.0.0.1"),
    state=RequestState.WAITING,
)
FORM = replace(LINK, id="f", kind="form", params={"message": "?"}, state=RequestState.ACCEPTED, content={"a": 1})
