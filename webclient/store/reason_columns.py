"""A reason as the columns of a request's row, and back."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Row

from webclient.model import Json, Reason, ReasonCode
from webclient.reasons import words_of
from webclient.store.search import searchable

NAMES = ("reason", "reason_code", "reason_params", "reason_search_text")


def reason_columns(reason: Reason | None) -> Json:
    """Return what is written of a reason, over a sentence of an earlier version, too."""
    return {
        "reason": None,
        "reason_code": reason and reason.code,
        "reason_params": reason and dict(reason.params),
        "reason_search_text": reason and searchable(*words_of(reason)),
    }


def reason_of(row: Row[Any]) -> Reason | None:
    """Return the reason of a row; of a sentence that an earlier version wrote, one that renders to it."""
    if row.reason_code is not None:
        return Reason(ReasonCode(row.reason_code), row.reason_params or {})
    return None if row.reason is None else Reason.of(ReasonCode.UNCODED, sentence=row.reason)
