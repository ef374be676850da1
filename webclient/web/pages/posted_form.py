"""Reads posted forms as pairs of name and value."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from fastapi import Depends, Request

from webclient.web.http import ServicesDep

Posted = Sequence[tuple[str, str]]


async def _read(http_request: Request, services: ServicesDep) -> Posted:
    """Return the fields of a posted form in order, without files."""
    async with http_request.form(max_fields=services.settings.max_form_fields) as form:
        return [(name, value) for name, value in form.multi_items() if isinstance(value, str)]


PostedDep = Annotated[Posted, Depends(_read)]


def first(posted: Posted, name: str) -> str:
    """Return the first value that was posted under `name`, or "" if there is none."""
    return next((value for each, value in posted if each == name), "")
