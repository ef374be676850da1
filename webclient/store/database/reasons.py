"""Reasons and errors as the columns of rows, and back."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from sqlalchemy import Row

from webclient.domain.model import CallError, Era, Json, Reason, ReasonCode
from webclient.domain.reasons import words_of
from webclient.store.database.search import search_text_of

NAMES = ("reason_code", "reason_params", "reason_search_text")


def reason_columns(reason: Reason | None) -> Json:
    """Return what is written of a reason."""
    return {
        "reason_code": reason and reason.code,
        "reason_params": reason and dict(reason.params),
        "reason_search_text": reason and search_text_of(*words_of(reason)),
    }


def reason_of(row: Row[Any]) -> Reason | None:
    """Return the reason of a row."""
    return None if row.reason_code is None else Reason(ReasonCode(row.reason_code), row.reason_params or {})


def error_json(error: CallError) -> Json:
    """Return what is written of a call's error: everything that it has."""
    named = {field.name: getattr(error, field.name) for field in fields(error) if field.name != "reason"}
    if error.reason:
        named |= {"reason_code": error.reason.code, "reason_params": dict(error.reason.params) or None}
    return {name: value for name, value in named.items() if value is not None and value is not False}


def call_error(written: Json) -> CallError:
    """Return the error of a call's row."""
    values = {field.name: written[field.name] for field in fields(CallError) if field.name in written}
    if "reason_code" in written:
        values["reason"] = Reason(ReasonCode(written["reason_code"]), written.get("reason_params") or {})
    if "reconnect_with" in values:
        values["reconnect_with"] = Era(values["reconnect_with"])
    return CallError(**values)
