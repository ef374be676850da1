"""An input request as the columns of its row, and back."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

from sqlalchemy import ColumnElement, Row, Text, cast, or_

from webclient.model import (
    AskedBy,
    AskedDuring,
    CallKind,
    Came,
    Delivery,
    InputRequest,
    Json,
    RequestState,
    Via,
)
from webclient.store.reasons import NAMES, reason_columns, reason_of
from webclient.store.search import search_text_of
from webclient.store.tables import requests

_NOT_FIELDS = {"digest", "search_text", "secrets", "owner", "generation", *NAMES}


def columns_of(request: InputRequest) -> Json:
    """Return what is written of a new request."""
    search_text = search_text_of(
        request.asked_by.label, request.during.name if request.during else None, request.params.get("message")
    )
    possible_calls = list(request.possible_calls) or None
    return (
        asdict(request)
        | {"possible_calls": possible_calls, "digest": request.digest, "search_text": search_text}
        | reason_columns(request.reason)
    )


def may_be_of(call_id: str) -> ColumnElement[bool]:
    """Return the condition that a request belongs to the call, or may belong to it."""
    # As text, since the databases have no way in common to look into a list of JSON.
    possible = cast(requests.c.possible_calls, Text).contains(json.dumps(call_id), autoescape=True)
    return or_(requests.c.call_id == call_id, possible)


def request_of(row: Row[Any]) -> InputRequest:
    """Return the request of a row, with its secrets as long as they are kept."""
    during = row.during and AskedDuring(
        **{
            **row.during,
            "kind": CallKind(row.during["kind"]),
            "withheld": tuple(row.during.get("withheld") or ()),
        }
    )
    return InputRequest(
        **{
            **{name: value for name, value in row._mapping.items() if name not in _NOT_FIELDS},
            "reason": reason_of(row),
            "came": Came(row.came),
            "state": RequestState(row.state),
            "via": row.via and Via(row.via),
            "ended_via": row.ended_via and Via(row.ended_via),
            "delivery": row.delivery and Delivery(row.delivery),
            "content": {**row.content, **row.secrets} if row.secrets else row.content,
            "withheld": tuple(row.withheld or ()),
            "possible_calls": tuple(row.possible_calls or ()),
            "asked_by": AskedBy(**row.asked_by),
            "during": during,
        }
    )
