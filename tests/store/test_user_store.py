"""A user reaches only their own rows: every method of `Store.of` is called with the ids of another user."""

from __future__ import annotations

import inspect
import shutil
import sqlite3
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.store.rows import a_request
from webclient.errors import NotFoundError
from webclient.model import (
    Call,
    CallKind,
    CallLog,
    CallState,
    Came,
    Delivery,
    LogEntry,
    Reason,
    ReasonCode,
    RequestState,
    Server,
    now,
)
from webclient.store import Store, UserStore
from webclient.store.database import FILE
from webclient.store.history import HistoryFilter

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
DECLINED = a_request(id="declined", server_id=SERVER.id)
SENT = a_request(id="sent", server_id=SERVER.id, call_id=CALL.id, came=Came.ROUND)
LINK = a_request(id="link", server_id=SERVER.id, params={"url": "https://a.example", "elicitationId": "e1"})
IDS = [each.id for each in (REQUEST, EXPIRED, DECLINED, SENT, LINK)]
LOG = CallLog((LogEntry(at=now(), level="info", text="booked"),))

ARGUMENTS: dict[str, Any] = {
    "before": None,
    "but": (),
    "call_id": CALL.id,
    "call_ids": [CALL.id],
    "prefill": {"f0": ["typed"]},
    "content": {"name": "Bob"},
    "count": 7,
    "delivery": Delivery.DELIVERED,
    "elicitation_ids": ["e1"],
    "ended_via": None,
    "expires_at": now() + timedelta(days=2),
    "from_": (RequestState.PENDING,),
    "ids": IDS,
    "keep_draft": False,
    "known": [],
    "limit": 100,
    "log": CallLog(omitted=3),
    "moment": now() - timedelta(days=1),
    "opened_at": None,
    "pending": [REQUEST],
    "possible": True,
    "reason": Reason.of(ReasonCode.CALL_ENDED),
    "request_id": REQUEST.id,
    "request_ids": IDS,
    "server": replace(SERVER, label="renamed", learned={"era": "2025-11-25"}),
    "server_id": SERVER.id,
    "server_ids": [SERVER.id],
    "since": now() - timedelta(days=1),
    "state": None,
    "texts": {"f0": ["typed"]},
    "to": RequestState.DECLINED,
    "until": now() + timedelta(days=1),
    "values": {"progress": {"progress": 1}},
    "via": None,
    "wanted": HistoryFilter(),
    "secrets_for": None,
    "with_results": True,
    "withheld": (),
    # Where a name alone does not say what is needed.
    "calls.add(call)": replace(CALL, id="new"),
    "requests.add(request)": replace(REQUEST, id="new"),
    "servers.add(server)": replace(SERVER, id="new"),
}
"""What each parameter gets: ids of Ada's rows. A method whose parameter is not here fails its test."""

NOTHING: tuple[Any, ...] = (None, False, 0, (0, 0), [], {}, CallLog())


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
    """What came of a call to the store."""

    result: Any
    error: Exception | None
    is_changed: bool

    @property
    def is_nothing(self) -> bool:
        return not self.is_changed and (self.error is not None or self.result in NOTHING)


async def outcome_of(store: Store, path: Path, user_id: str, method: Method, *, optional: bool) -> Outcome:
    """Call the method for the user with Ada's ids, and with optional arguments if wanted."""
    function = getattr(getattr(store.of(user_id), method.part), method.name)
    positional, named = arguments_for(method, function, optional=optional)
    before, result, error = contents(path), None, None
    try:
        returned = function(*positional, **named)
        result = [each async for each in returned] if inspect.isasyncgen(returned) else await returned
    except (NotFoundError, ValueError) as raised:
        error = raised
    return Outcome(result, error, contents(path) != before)


def arguments_for(method: Method, function: Callable[..., Any], *, optional: bool) -> tuple[list[Any], dict[str, Any]]:
    positional: list[Any] = []
    named: dict[str, Any] = {}
    for name, parameter in inspect.signature(function).parameters.items():
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


def contents(path: Path) -> list[str]:
    """Return all rows of the database."""
    db = sqlite3.connect(path / FILE)
    try:
        return list(db.iterdump())
    finally:
        db.close()


@pytest.fixture(scope="module")
async def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a data folder with rows of Ada for every method."""
    path = tmp_path_factory.mktemp("rows")
    store = Store(path)
    await store.open()
    ada = store.of("ada")
    await ada.servers.add(SERVER)
    for call in (CALL, ENDED_CALL):
        await ada.calls.add(call)
    await ada.logs.save(CALL.id, LOG)
    for request in (REQUEST, EXPIRED, DECLINED, SENT, LINK):
        await ada.requests.add(request, {"f0": ["typed"]})
    await ada.requests.settle("expired", to=RequestState.EXPIRED, keep_draft=True)
    await ada.requests.settle("declined", to=RequestState.DECLINED)
    await ada.requests.settle(
        "sent",
        to=RequestState.ACCEPTED,
        delivery=Delivery.SENDING,
        content={"name": "Ada"},
        withheld=["name"],
        secrets_for=CALL.id,
    )
    await ada.requests.settle("link", to=RequestState.WAITING, opened_at=now())
    await store.close()
    return path


@pytest.fixture
async def rows(folder: Path, tmp_path: Path) -> AsyncIterator[tuple[Store, Path]]:
    shutil.copytree(folder, tmp_path / "rows")
    store = Store(tmp_path / "rows")
    yield store, tmp_path / "rows"
    await store.close()


@pytest.mark.parametrize("optional", [False, True], ids=["required arguments", "all arguments"])
@pytest.mark.parametrize("method", METHODS, ids=str)
async def test_a_foreign_id_gives_nothing_and_changes_nothing(
    rows: tuple[Store, Path], method: Method, *, optional: bool
) -> None:
    foreign = await outcome_of(*rows, "bob", method, optional=optional)
    assert foreign.is_nothing, foreign
    own = await outcome_of(*rows, "ada", method, optional=optional)
    assert not own.is_nothing, "the arguments reach no row of their own user, so this proves nothing"


def test_no_method_of_a_user_takes_a_user_id() -> None:
    store = Store(Path()).of("ada")
    for part, name in METHODS:
        assert "user_id" not in inspect.signature(getattr(getattr(store, part), name)).parameters


@pytest.mark.parametrize("part", ["servers", "calls", "requests"])
async def test_an_unknown_id_is_not_found(rows: tuple[Store, Path], part: str) -> None:
    with pytest.raises(NotFoundError):
        await getattr(rows[0].of("ada"), part).get("unknown")
