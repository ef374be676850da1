"""Every public method of `UserStore`, and arguments for it: ids of Ada's rows."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any, NamedTuple

from tests.store.ada_rows import (
    APPROVED,
    CALL,
    ENDED_CALL,
    GRANT,
    HOSTED,
    IDS,
    ISSUER,
    NOTICE,
    NOTICE_SETTINGS,
    OTHER,
    REDIRECT_URI,
    REGISTRATION,
    REQUEST,
    SAVED,
    SERVER,
    SESSION,
    SIGN_IN,
    STATE,
    TARGET,
    TOKEN,
    WEBHOOK,
)
from webclient.domain.model import (
    Action,
    Agent,
    CallLog,
    Delivery,
    DueNotice,
    Reason,
    ReasonCode,
    RequestState,
    Sampling,
    Stage,
    Task,
    Usage,
    now,
)
from webclient.store import CallChange, Store, UserStore, Wanted
from webclient.store.requests.history import HistoryFilter

UNDO_UNTIL = now() + timedelta(minutes=1)
"""Until when Ada can undo that she approved her request."""

ARGUMENTS: dict[str, Any] = {
    "request_lists.page(wanted)": Wanted(call_id=CALL.id),
    "action": Action.DECLINE,
    "notice_settings": replace(NOTICE_SETTINGS, wait=timedelta(minutes=9)),
    "target": replace(TARGET, id="t2"),
    "agent": Agent(token_id="t2", label="Agent"),
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
    "by_delivery": {Delivery.SENDING: IDS, None: []},
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
    "message": "Because.",
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
    "task_id": HOSTED.ids.hosted_task_id,
    "hosted_tasks.fetched(request_id)": HOSTED.id,
    "issuer": ISSUER,
    "keys": ["alike"],
    "known": [],
    "passes_on": True,
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
    "grants.remove(refused)": True,
    "request": REQUEST,
    "request_id": REQUEST.id,
    "request_ids": IDS,
    "looked_ms": 900,
    "scope": "write",
    "settled": replace(APPROVED, settled_at=now() + timedelta(hours=1)),
    "back": timedelta(days=1),
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
    "undo_until": UNDO_UNTIL,
    "requests.decide(undo_until)": UNDO_UNTIL + timedelta(hours=1),
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
