"""A user reaches only their own rows: every method of `Store.of` is called with the ids of another user."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from sqlalchemy import select

from tests.store.conftest import TestDatabase
from tests.store.rows import a_request
from webclient.errors import NotFoundError
from webclient.model import (
    Action,
    AnswerWebhook,
    Call,
    CallKind,
    CallLog,
    CallState,
    Came,
    Delivery,
    DueNotice,
    Grant,
    LogEntry,
    Notice,
    NoticeSettings,
    NoticeTarget,
    PendingSignIn,
    ProgramToken,
    Reason,
    ReasonCode,
    Registration,
    RequestState,
    Sampling,
    SavedSession,
    Server,
    Spent,
    Stage,
    TargetKind,
    Task,
    Usage,
    Via,
    now,
)
from webclient.store import CallChange, Changes, Store, UserStore
from webclient.store.changes import CardRows
from webclient.store.history import HistoryFilter, HistoryPage
from webclient.store.inbox_rows import InboxRows
from webclient.store.tables import metadata

pytestmark = pytest.mark.anyio

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
)
ENDED_CALL = replace(CALL, id="ended", state=CallState.DONE, result={"content": []})
REQUEST = a_request(server_id=SERVER.id, expires_at=now() + timedelta(days=1), possible_calls=(CALL.id,))
EXPIRED = a_request(id="expired", server_id=SERVER.id)
DECLINED = a_request(id="declined", server_id=SERVER.id, call_id=ENDED_CALL.id)
SENT = a_request(id="sent", server_id=SERVER.id, call_id=CALL.id, came=Came.ROUND)
SAVED = a_request(id="saved", server_id=SERVER.id, call_id=CALL.id, came=Came.ROUND)
PENDING_IN_CALL = a_request(id="asked", server_id=SERVER.id, call_id=CALL.id, came=Came.ROUND)
LINK = a_request(id="link", server_id=SERVER.id, params={"url": "https://a.example", "elicitationId": "e1"})
HOSTED = a_request(id="hosted", server_id=SERVER.id, came=Came.HOSTED, hosted_task_id="t-1")
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

ARGUMENTS: dict[str, Any] = {
    "action": Action.DECLINE,
    "notice_settings": replace(NOTICE_SETTINGS, wait=timedelta(minutes=9)),
    "target": replace(TARGET, id="t2"),
    "target_id": TARGET.id,
    "most": 9,
    "notice": replace(NOTICE, failures=2),
    "due": DueNotice(user_id="ada", request_ids=(REQUEST.id,), at=now()),
    "failure": "503",
    "give_up": True,
    "at": now(),
    "asker_id": SERVER.id,
    "muted_programs.add(request_id)": OTHER.id,
    "webhook": replace(WEBHOOK, request_id="new"),
    "whole": True,
    "next_at": now() + timedelta(hours=1),
    "before": None,
    "but": (),
    "call_id": CALL.id,
    "as_task": False,
    "reconnects": True,
    "call_ids": [CALL.id, ENDED_CALL.id],
    "calls": [CallChange(CALL.id, {"progress": {"progress": 2}}, required=True)],
    "event_id": "e-1",
    "with_servers": True,
    "prefills": {"new": {"f0": ["typed"]}},
    "content": {"name": "Bob"},
    "count": 7,
    "delivery": Delivery.DELIVERED,
    "elicitation_ids": ["e1"],
    "ended_via": None,
    "expires_at": now() + timedelta(days=2),
    "from_": (RequestState.PENDING,),
    "grant": replace(GRANT, version=2),
    "ids": IDS,
    "after": (now() - timedelta(days=99), ""),
    "task": Task(id="t1"),
    "task_id": HOSTED.hosted_task_id,
    "hosted_tasks.fetched(request_id)": HOSTED.id,
    "issuer": ISSUER,
    "known": [],
    "limit": 100,
    "settled_limit": 10,
    "log": CallLog(omitted=3),
    "moment": now() - timedelta(days=1),
    "opened_at": None,
    "pending": [REQUEST],
    "possible": True,
    "redirect_uri": REDIRECT_URI,
    "registration": replace(REGISTRATION, secrets={"client_id": "c-2"}),
    "reason": Reason.of(ReasonCode.CALL_ENDED),
    "rounds.reopen(refused)": None,
    "request_id": REQUEST.id,
    "request_ids": IDS,
    "scope": "write",
    "server": replace(SERVER, label="renamed", learned={"era": "2025-11-25"}),
    "server_id": SERVER.id,
    "server_ids": [SERVER.id],
    "sign_in_id": SIGN_IN.id,
    "since": now() - timedelta(days=1),
    "state": None,
    "state_hash": STATE,
    "texts": {"f0": ["typed"]},
    "to": RequestState.DECLINED,
    "muted": True,
    "secret": "mcpweb_another",
    "token": replace(TOKEN, id="new"),
    "token_id": TOKEN.id,
    "tool": "survey",
    "undo_until": now() + timedelta(hours=1),
    "until": now() + timedelta(days=1),
    "version": GRANT.version,
    "values": {"progress": {"progress": 1}},
    "via": None,
    "wanted": HistoryFilter(),
    "sampling": Sampling(turn=2),
    "stages": tuple(Stage),
    "usage": Usage(output_tokens=2),
    "saved": replace(SESSION, resumed=1),
    "secrets_for": None,
    "with_results": True,
    "withheld": (),
    # Where a name alone does not say what is needed.
    "calls.add(call)": replace(CALL, id="new"),
    "requests.add(new)": replace(REQUEST, id="new"),
    "rounds.reopen(request_id)": SAVED.id,
    "sign_ins.put(pending)": replace(SIGN_IN, id="new"),
    "sign_ins.change(pending)": replace(SIGN_IN, nonce_hash="1" * 64),
    "servers.add(server)": replace(SERVER, id="new"),
}
"""Values for each parameter: ids of Ada's rows. A method whose parameter is not here fails its test."""

NOTHING: tuple[Any, ...] = (
    *(None, False, 0, (0, 0), [], {}),
    *(CallLog(), Changes(), CardRows(), HistoryPage([], None), InboxRows(), Spent()),
)


class Method(NamedTuple):
    """A public method of one part of `UserStore`."""

    part: str
    name: str

    def __str__(self) -> str:
        return f"{self.part}.{self.name}"


PARTS = [name for name in vars(UserStore) if not name.startswith("_")]


def _methods() -> Iterator[Method]:
    for part in PARTS:
        for name, _function in inspect.getmembers(getattr(Store(Path()).of("ada"), part), inspect.isroutine):
            if not name.startswith("_"):
                yield Method(part, name)


METHODS = list(_methods())


@dataclass
class Outcome:
    """The result of a call to the store."""

    result: Any
    error: Exception | None
    is_changed: bool

    @property
    def is_nothing(self) -> bool:
        return not self.is_changed and (self.error is not None or self.result in NOTHING)


async def outcome_of(store: Store, database: TestDatabase, user_id: str, method: Method, *, optional: bool) -> Outcome:
    """Call the method for the user with Ada's ids, and with optional arguments if wanted."""
    function = getattr(getattr(store.of(user_id), method.part), method.name)
    positional, named = arguments_for(method, function, optional=optional)
    before, result, error = contents(database), None, None
    try:
        returned = function(*positional, **named)
        result = [each async for each in returned] if inspect.isasyncgen(returned) else await returned
    except (NotFoundError, ValueError) as raised:
        error = raised
    return Outcome(result, error, contents(database) != before)


def arguments_for(method: Method, function: Callable[..., Any], *, optional: bool) -> tuple[list[Any], dict[str, Any]]:
    positional: list[Any] = []
    named: dict[str, Any] = {}
    for name, parameter in inspect.signature(function).parameters.items():
        if name == "db":
            continue  # The database gives a unit of work its connection.
        key = f"{method}({name})"
        assert key in ARGUMENTS or name in ARGUMENTS, f"{method} has a new parameter: add {name!r} to ARGUMENTS"
        value = ARGUMENTS.get(key, ARGUMENTS.get(name))
        if parameter.kind is inspect.Parameter.VAR_KEYWORD:
            named |= value or {}
        elif parameter.default is not inspect.Parameter.empty and not optional:
            continue
        elif parameter.kind is inspect.Parameter.KEYWORD_ONLY:
            named[name] = value
        else:
            positional.append(value)
    return positional, named


def contents(database: TestDatabase) -> list[str]:
    """Return all rows of the database."""
    with database.connected() as db:
        return sorted(f"{table} {row}" for table in metadata.tables.values() for row in db.execute(select(table)))


@pytest.fixture
async def rows(store: Store) -> Store:
    """Add rows of Ada for every method."""
    ada = store.of("ada")
    await ada.servers.add(SERVER)
    for call in (CALL, ENDED_CALL):
        await ada.calls.add(call)
    await ada.logs.save(CALL.id, LOG)
    for request in REQUESTS:
        await ada.requests.add(request, prefills={request.id: {"f0": ["typed"]}})
    await ada.drafts.save("expired", {"f0": ["typed"]})
    await ada.requests.settle("expired", to=RequestState.EXPIRED)
    await ada.requests.settle("declined", to=RequestState.DECLINED, via=Via.PAGE)
    await ada.requests.settle(
        "sent",
        to=RequestState.ACCEPTED,
        delivery=Delivery.SENDING,
        content={"name": "Ada"},
        withheld=["name"],
        secrets_for=CALL.id,
    )
    await ada.requests.settle(
        "saved", to=RequestState.ACCEPTED, delivery=Delivery.SAVED, content={"name": "Ada"}, via=Via.PAGE
    )
    await ada.requests.settle("hosted", to=RequestState.ACCEPTED, delivery=Delivery.SENDING, content={"name": "Ada"})
    await ada.sign_ins.put(SIGN_IN)
    await ada.grants.save(GRANT)
    await ada.registrations.save(REGISTRATION)
    await ada.step_ups.add(SERVER.id, "write")
    await ada.saved_sessions.save(SESSION)
    await ada.task_choices.save(SERVER.id, "survey", as_task=True)
    await ada.notices.begin(NOTICE_SETTINGS)
    await ada.notices.add_target(TARGET, 9)
    await ada.notices.enqueue(DueNotice(id=NOTICE.id, user_id="ada", request_ids=(SENT.id,), at=NOTICE.next_at))
    await ada.tokens.add(TOKEN, "mcpweb_secret")
    await ada.answer_webhooks.begin(WEBHOOK, 9)
    await ada.requests.add(OTHER)
    await ada.muted_programs.add(REQUEST.id)
    await ada.samplings.spend(SERVER.id, Usage(output_tokens=1))
    await ada.requests.settle("link", to=RequestState.WAITING, opened_at=now())
    return store


@pytest.mark.parametrize("optional", [False, True], ids=["required arguments", "all arguments"])
@pytest.mark.parametrize("method", METHODS, ids=str)
async def test_a_foreign_id_gives_nothing_and_changes_nothing(
    rows: Store, database: TestDatabase, method: Method, *, optional: bool
) -> None:
    if database.url and not optional:
        pytest.skip("once for each method is enough on PostgreSQL")
    foreign = await outcome_of(rows, database, "bob", method, optional=optional)
    assert foreign.is_nothing, foreign
    own = await outcome_of(rows, database, "ada", method, optional=optional)
    assert not own.is_nothing, "the arguments reach no row of their own user, so this proves nothing"


def test_no_method_of_a_user_takes_a_user_id() -> None:
    store = Store(Path()).of("ada")
    for part, name in METHODS:
        assert "user_id" not in inspect.signature(getattr(getattr(store, part), name)).parameters


@pytest.mark.parametrize("part", ["servers", "calls", "requests"])
async def test_an_unknown_id_is_not_found(rows: Store, part: str) -> None:
    with pytest.raises(NotFoundError):
        await getattr(rows.of("ada"), part).get("unknown")
