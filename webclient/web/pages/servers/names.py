"""Names of catalog entries in a form, so that the browser posts them unchanged."""

from __future__ import annotations

import json
import re

from webclient.web.pages.posted_form import Posted, first

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
