"""An input request as the columns of its row, and back: whole, or as lists show it."""

from __future__ import annotations

import json
from dataclasses import asdict, fields
from typing import Any

from sqlalchemy import Row, case, exists

from webclient.domain.approvals import APPROVAL
from webclient.domain.model import (
    EXCERPT,
    Action,
    Alarm,
    CallContext,
    CallKind,
    Delivery,
    InputRequest,
    Json,
    ListedRequest,
    Origin,
    ReasonCode,
    Requester,
    RequesterIds,
    RequesterKind,
    RequestState,
    Risk,
    Sampling,
    Stage,
    Via,
)
from webclient.store.database.reasons import NAMES, reason_columns, reason_of
from webclient.store.database.search import search_text_of, storable, values_text_of
from webclient.store.database.secrets import split_secrets
from webclient.store.database.sizes import about_size, whole_size
from webclient.store.database.tables import drafts, requests

_NOT_FIELDS = {"search_text", "values_text", "secrets", "owner", "generation", "noticed_at", *NAMES}
_IDS = [field.name for field in fields(RequesterIds)]
_NOT_FIELDS |= {"excerpt", "call_name", "size", "other_size", *_IDS}

_LISTED = (
    *("id", "user_id", "server_id", "call_id", "possible_calls", "kind", "origin", "asked_by", "call_name", "excerpt"),
    *("parts", "round", "position", "total", "state", "delivery", "via", "expires_at", "created_at", "opened_at"),
    *("settled_at", "reason_code", "decided", "undo_until", "alarm", "risk", "brief"),
)
_SHORT_CALL = 600
"""Bytes of arguments and answer up to which a list reads the call of a request."""

_TYPED = (
    exists()
    .where(drafts.c.request_id == requests.c.id, drafts.c.user_id == requests.c.user_id)
    .where(drafts.c.prefilled.is_(False))
    .correlate(requests)
)

LISTED = (
    *(requests.c[name] for name in _LISTED),
    case((requests.c.other_size <= _SHORT_CALL, requests.c.during)).label("during"),
    _TYPED.label("has_draft"),
    whole_size,
    *(requests.c.sampling[name].as_string().label(name) for name in ("stage", "started_at")),
)
"""The columns that `listed_of` reads."""


def columns_of(request: InputRequest) -> Json:
    """Return what is written of a new request."""
    search_text = search_text_of(request.asked_by.label, request.during.name if request.during else None, request.words)
    possible_calls = list(request.possible_calls) or None
    listed = {
        "excerpt": storable(request.words.strip()[:EXCERPT]),
        "call_name": request.during and storable(request.during.name[:EXCERPT]),
        "size": len(json.dumps(request.params)),
        "other_size": about_size(request.during and request.during.arguments) + about_size(request.content),
    }
    own = asdict(request)
    own |= own.pop("ids")
    if request.kind == APPROVAL and request.withheld:
        # The arguments that may be secrets are erased once the decision has arrived, as those of an answer are.
        public, secret = split_secrets(request.params.get("arguments") or {}, request.withheld)
        own |= {"params": request.params | {"arguments": public}, "secrets": secret}
    return (
        own
        | listed
        | {"possible_calls": possible_calls, "search_text": search_text, "values_text": values_text_of(request.content)}
        | {"sampling": request.sampling and request.sampling.to_json()}
        | reason_columns(request.reason)
    )


def request_of(row: Row[Any]) -> InputRequest:
    """Return the request of a row, with its secrets as long as they are kept."""
    content, params = row.content, row.params
    if row.secrets and content is not None:
        content = {**content, **row.secrets}
    elif row.secrets and row.kind == APPROVAL:
        params = {**params, "arguments": {**params["arguments"], **row.secrets}}
    return InputRequest(
        **{
            **{name: value for name, value in row._mapping.items() if name not in _NOT_FIELDS},
            "digest": row.digest or "",
            "reason": reason_of(row),
            "origin": Origin(row.origin),
            "state": RequestState(row.state),
            "via": row.via and Via(row.via),
            "ended_via": row.ended_via and Via(row.ended_via),
            "decided": row.decided and Action(row.decided),
            "alarm": row.alarm and Alarm(row.alarm),
            "risk": row.risk and Risk(row.risk),
            "delivery": row.delivery and Delivery(row.delivery),
            "content": content,
            "params": params,
            "withheld": tuple(row.withheld or ()),
            "possible_calls": tuple(row.possible_calls or ()),
            "asked_by": requester_of(row.asked_by),
            "during": row.during and _call_of(row.during),
            "sampling": Sampling.from_json(row.sampling) if row.sampling else None,
            "ids": RequesterIds(**{name: getattr(row, name) for name in _IDS}),
        }
    )


def listed_of(row: Row[Any]) -> ListedRequest:
    """Return what lists show of a row."""
    values = {name: value for name, value in row._mapping.items() if name not in ("excerpt", "call_name")}
    return ListedRequest(
        **{
            **values,
            "call_name": row.call_name,
            "origin": Origin(row.origin),
            "asked_by": requester_of(row.asked_by),
            "during": row.during and _call_of(row.during),
            "possible_calls": tuple(row.possible_calls or ()),
            "words": row.excerpt,
            "state": RequestState(row.state),
            "via": row.via and Via(row.via),
            "reason_code": row.reason_code and ReasonCode(row.reason_code),
            "decided": row.decided and Action(row.decided),
            "alarm": row.alarm and Alarm(row.alarm),
            "risk": row.risk and Risk(row.risk),
            "delivery": row.delivery and Delivery(row.delivery),
            "stage": Stage(row.stage or Stage.PENDING),
        }
    )


def requester_of(written: Json) -> Requester:
    """Return the requester that a row has as JSON."""
    return Requester(**{**written, "kind": RequesterKind(written["kind"])})


def _call_of(written: Json) -> CallContext:
    return CallContext(**{**written, "kind": CallKind(written["kind"]), "withheld": tuple(written["withheld"])})
