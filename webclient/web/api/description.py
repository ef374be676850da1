"""Corrects the OpenAPI description: every error is a problem document."""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI
from pydantic import BaseModel

from webclient.domain.model import Json, ReasonCode
from webclient.web.api.call_shapes import CallShape
from webclient.web.api.request_shapes import RequestShape
from webclient.web.api.server_shapes import ServerShape

_SCHEMAS = "#/components/schemas/{model}"
_GUESSED = "#/components/schemas/HTTPValidationError"


class ProblemShape(BaseModel):
    """A problem document (RFC 9457). With 422, `errors` by field; with 409 to an answer, the current `request`.

    `reason_code` is the same as `detail` for programs, where there is one.
    """

    type: str
    title: str
    status: int
    detail: str
    reason_code: ReasonCode | None = None
    errors: dict[str, str] | None = None
    request: RequestShape | None = None


def describe(app: FastAPI) -> None:
    """Install the corrected description in `app`."""
    guess = app.openapi

    def openapi() -> Json:
        if app.openapi_schema is None:
            app.openapi_schema = _corrected(guess())
        return app.openapi_schema

    app.openapi = openapi  # type: ignore[method-assign]  # FastAPI's documented way to extend the description


def _corrected(description: Json) -> Json:
    schemas = description.setdefault("components", {}).setdefault("schemas", {})
    shapes: tuple[type[BaseModel], ...] = (ProblemShape, ServerShape, CallShape, RequestShape)
    for shape in shapes:
        schema = shape.model_json_schema(ref_template=_SCHEMAS, mode="serialization")
        schemas |= schema.pop("$defs", {})
        schemas[shape.__name__] = schema
    for operations in description["paths"].values():
        for operation in operations.values():
            _remove_guess(operation["responses"])
    return description


def _remove_guess(responses: dict[str, Any]) -> None:
    # FastAPI announces its own 422 for every route with a parameter; `http.errors` never sends one.
    if _GUESSED in str(responses.get("422", "")):
        del responses["422"]
