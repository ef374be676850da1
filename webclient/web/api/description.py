"""Corrects the OpenAPI description: every error is a problem document."""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI
from pydantic import TypeAdapter

from webclient.domain.model import Json
from webclient.web.api.shapes import CallShape, ProblemShape, RequestShape, ServerShape

_SCHEMAS = "#/components/schemas/{model}"
_GUESSED = "#/components/schemas/HTTPValidationError"


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
    for shape in (ProblemShape, ServerShape, CallShape, RequestShape):
        schema = TypeAdapter(shape).json_schema(ref_template=_SCHEMAS)
        schemas |= schema.pop("$defs", {})
        schemas[shape.__name__] = schema
    for operations in description["paths"].values():
        for operation in operations.values():
            _drop_guess(operation["responses"])
    return description


def _drop_guess(responses: dict[str, Any]) -> None:
    # FastAPI announces its own 422 for every route with a parameter; `http.errors` never sends one.
    if _GUESSED in str(responses.get("422", "")):
        del responses["422"]
