"""Rows of one user, Ada, one of each kind at least."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from tests.store.rows import a_request
from webclient.domain.model import (
    Agent,
    AnswerWebhook,
    Call,
    CallContext,
    CallKind,
    CallLog,
    CallState,
    Grant,
    LogEntry,
    Notice,
    NoticeSettings,
    NoticeTarget,
    Origin,
    PendingSignIn,
    ProgramToken,
    Registration,
    Report,
    Requester,
    RequesterIds,
    RequesterKind,
    SavedSession,
    Server,
    TargetKind,
    Then,
    Trace,
    Via,
    now,
)

LABEL = "travel"
SERVER = Server(user_id="ada", label=LABEL, transport={"type": "http", "url": "http://127.0.0.1/mcp"})
CALL = Call(
    user_id="ada",
    server_id=SERVER.id,
    server_label=LABEL,
    kind=CallKind.TOOL,
    name="book",
    arguments={"token": "x"},
    withheld=("token",),
    trace=Trace(trace_id="a" * 32, span_id="b" * 16, flags=0, state="a=b"),
)
ENDED_CALL = replace(
    CALL,
    id="ended",
    state=CallState.DONE,
    result={"content": []},
    via=Via.AGENT,
    agent=Agent(token_id="t", label="A"),
    reports=(Report(rule="r", then=Then.ASK, instead_of=Then.RUN),),
)
REQUEST = a_request(server_id=SERVER.id, expires_at=now() + timedelta(days=1), possible_calls=(CALL.id,))
EXPIRED = a_request(id="expired", server_id=SERVER.id)
DECLINED = a_request(id="declined", server_id=SERVER.id, call_id=ENDED_CALL.id)
SENT = a_request(id="sent", server_id=SERVER.id, call_id=CALL.id, origin=Origin.ROUND)
SAVED = a_request(id="saved", server_id=SERVER.id, call_id=CALL.id, origin=Origin.ROUND)
PENDING_IN_CALL = a_request(
    id="asked", server_id=SERVER.id, call_id=CALL.id, origin=Origin.ROUND, brief={"alike": "alike"}
)
LINK = a_request(id="link", server_id=SERVER.id, params={"url": "https://a.example", "elicitationId": "e1"})
HOSTED = a_request(id="hosted", server_id=SERVER.id, origin=Origin.HOSTED, ids=RequesterIds(hosted_task_id="t-1"))
APPROVED = a_request(
    id="approved",
    server_id=SERVER.id,
    kind="approval",
    params={"tool": {"name": "pay"}, "arguments": {}},
    asked_by=Requester(kind=RequesterKind.AGENT, label="A", address="", token_id="t"),
    during=CallContext(kind=CallKind.TOOL, name="pay"),
)
OTHER = a_request(id="other", server_id="program-1")
REQUESTS = (REQUEST, EXPIRED, DECLINED, SENT, SAVED, PENDING_IN_CALL, LINK, HOSTED)
IDS = [each.id for each in REQUESTS]
ISSUER, REDIRECT_URI, STATE = "https://as.example", "http://127.0.0.1:8765/oauth/callback", "0" * 64
SIGN_IN = PendingSignIn(
    user_id="ada",
    server_id=SERVER.id,
    issuer=ISSUER,
    scopes=("read", "write"),
    new_scopes=("write",),
    authorization_url=f"{ISSUER}/authorize?state=s-1",
    state_hash=STATE,
    expires_at=now() + timedelta(hours=1),
    secrets={"state": "s-1", "verifier": "v-1"},
)
GRANT = Grant(
    user_id="ada",
    server_id=SERVER.id,
    issuer=ISSUER,
    resource="http://127.0.0.1/mcp",
    requested=("read", "write"),
    scopes=("read",),
    expires_at=now() + timedelta(hours=1),
    version=1,
    secrets={"access": "a-1", "refresh": "r-1"},
)
REGISTRATION = Registration(
    user_id="ada", issuer=ISSUER, redirect_uri=REDIRECT_URI, secrets={"client_id": "c-1", "secret": "cs-1"}
)
SESSION = SavedSession(
    user_id="ada",
    server_id=SERVER.id,
    url="http://127.0.0.1:9/mcp",
    session_id="the-secret-id-of-a-session",
    greeting={"protocolVersion": "2025-11-25", "capabilities": {}},
    era_reason="refused",
)
NOTICE_SETTINGS = NoticeSettings(user_id="ada", push_key="p-1")
TARGET = NoticeTarget(
    id="t1", user_id="ada", kind=TargetKind.WEBHOOK, label="bot", secrets={"url": "https://a.example"}
)
NOTICE = Notice(id="n1", user_id="ada", target_id=TARGET.id, next_at=now())
WEBHOOK = AnswerWebhook(request_id=REQUEST.id, user_id="ada", secrets={"url": "https://a.example", "secret": "s"})
TOKEN = ProgramToken(user_id="ada", label="Agent", scopes=("ask",), hint="cret")
LOG = CallLog((LogEntry(at=now(), level="info", text="booked"),))
