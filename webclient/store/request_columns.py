"""An input request as the columns of its row, and back."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from sqlalchemy import Row

from webclient.model import (
    Action,
    CallContext,
    CallKind,
    Came,
    Delivery,
    InputRequest,
    Json,
    Requester,
    RequesterKind,
    RequestState,
    Sampling,
    Via,
)
from webclient.store.reasons import NAMES, reason_columns, reason_of
from webclient.store.search import search_text_of, values_text_of

_NOT_FIELDS = {"search_text", "values_text", "secrets", "owner", "generation", "noticed_at", *NAMES}


def columns_of(request: InputRequest) -> Json:
    """Return what is written of a new request."""
    search_text = search_text_of(request.asked_by.label, request.during.name if request.during else None, request.words)
    possible_calls = list(request.possible_calls) or None
    return (
        asdict(request)
        | {"possible_calls": possible_calls, "search_text": search_text, "values_text": values_text_of(request.content)}
        | {"sampling": request.sampling and request.sampling.to_json()}
        | reason_columns(request.reason)
    )


def request_of(row: Row[Any]) -> InputRequest:
    """Return the request of a row, with its secrets as long as they are kept."""
    during = row.during and CallContext(
        **{
            **row.during,
            "kind": CallKind(row.during["kind"]),
            "withheld": tuple(row.during.get("withheld") or ()),
        }
    )
    return InputRequest(
        **{
            **{name: value for name, value in row._mapping.items() if name not in _NOT_FIELDS},
            "digest": row.digest or "",
            "reason": reason_of(row),
            "came": Came(row.came),
            "state": RequestState(row.state),
            "via": row.via and Via(row.via),
            "ended_via": row.ended_via and Via(row.ended_via),
            "decided": row.decided and Action(row.decided),
            "delivery": row.delivery and Delivery(row.delivery),
            "content": {**row.content, **row.secrets} if row.secrets else row.content,
            "withheld": tuple(row.withheld or ()),
            "possible_calls": tuple(row.possible_calls or ()),
            "asked_by": _requester_of(row.asked_by),
            "during": during,
            "sampling": Sampling.from_json(row.sampling) if row.sampling else None,
        }
    )


def _requester_of(written: Json) -> Requester:
    # Rows of versions that knew no programs have no kind.
    return Requester(**{**written, "kind": RequesterKind(written.get("kind", RequesterKind.SERVER))})
