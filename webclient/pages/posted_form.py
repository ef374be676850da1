"""Reads posted forms as pairs of name and value."""

from __future__ import annotations

from collections.abc import Sequence

from starlette.requests import Request

from webclient.services import Services

Posted = Sequence[tuple[str, str]]


async def read_posted_form(request: Request, services: Services) -> Posted:
    """Return the fields of a posted form in order, without files."""
    async with request.form(max_fields=services.settings.max_form_fields) as form:
        return [(name, value) for name, value in form.multi_items() if isinstance(value, str)]


def first(posted: Posted, name: str) -> str:
    """Return the first value that was posted under `name`, or "" if there is none."""
    return next((value for each, value in posted if each == name), "")
