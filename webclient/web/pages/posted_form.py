"""Reads posted forms as pairs of name and value, and says which of their errors are left."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Annotated

from fastapi import Depends, Request
from starlette.datastructures import UploadFile
from starlette.responses import JSONResponse

from webclient.content.forms import FILE, data_uri
from webclient.domain.i18n import gettext as _
from webclient.web.http import ServicesDep

Posted = Sequence[tuple[str, str]]


async def _read(http_request: Request, services: ServicesDep) -> Posted:
    """Return the fields of a posted form in order; an uploaded file is the text of its field."""
    async with http_request.form(max_fields=services.settings.max_form_fields) as form:
        return [
            (name, value) if isinstance(value, str) else await _uploaded(name, value)
            for name, value in form.multi_items()
            if isinstance(value, str) or (value.filename and name.endswith(FILE))
        ]


async def _uploaded(name: str, file: UploadFile) -> tuple[str, str]:
    return name.removesuffix(FILE), data_uri(file.content_type, await file.read())


PostedDep = Annotated[Posted, Depends(_read)]


def first(posted: Posted, name: str) -> str:
    """Return the first value that was posted under `name`, or "" if there is none."""
    return next((value for each, value in posted if each == name), "")


NAME = "name"
NAME_AS_JSON = "name_json"
"""The control for a name as JSON, beside the plain one, if a form would change it."""

_CHANGED_BY_FORMS = re.compile("[\r\n\x00\ud800-\udfff]")
"""Browsers post every line break as CR LF (HTML, "constructing the entry list"); NUL and surrogates do not arrive."""


def is_posted_unchanged(name: str) -> bool:
    """Return whether a browser posts the name unchanged."""
    return _CHANGED_BY_FORMS.search(name) is None


def posted_name(posted: Posted) -> str:
    """Return the posted name; the JSON control is exact and wins."""
    try:
        exact = json.loads(first(posted, NAME_AS_JSON) or "null")
    except (ValueError, RecursionError):
        exact = None
    return exact if isinstance(exact, str) else first(posted, NAME)


def say_what_is_wrong(scope: str, wrong: Mapping[str, str]) -> JSONResponse:
    """Return the errors of a form by the id of their control, for `recheck.js`; `wrong` has them by control."""
    said = {f"{scope}-{control}": _("Error: {sentence}").format(sentence=error) for control, error in wrong.items()}
    return JSONResponse(said)
