"""Reads and checks the form that adds a server."""

from __future__ import annotations

from typing import TypedDict

from webclient.errors import InvalidInputError
from webclient.header_rules import wrong_header
from webclient.i18n import gettext as _
from webclient.model import Era, Json
from webclient.pages.posted_form import Posted, first
from webclient.urls import is_http_url

LONGEST_LABEL = 80

_DETECT = "auto"


class NewServer(TypedDict):
    """The arguments of `Servers.add`."""

    label: str
    transport: Json
    era: Era


def read_new_server(posted: Posted) -> NewServer:
    """Return the new server. Raises InvalidInputError with a sentence for each invalid field."""
    url = first(posted, "url").strip()
    label = first(posted, "label").strip()
    headers, wrong_headers = _headers(first(posted, "headers"))
    errors = {"label": _wrong_label(label), "url": _wrong_url(url), "headers": wrong_headers}
    found = {name: error for name, error in errors.items() if error}
    if found:
        raise InvalidInputError(_("The server was not added. Fix the fields below."), found)
    kind = first(posted, "type") or _DETECT
    transport: Json = {"type": "http", "detect": True} if kind == _DETECT else {"type": kind}
    transport["url"] = url
    era = read_era(first(posted, "era") or Era.AUTO)
    return NewServer(label=label, transport=transport | ({"headers": headers} if headers else {}), era=era)


def read_era(text: str) -> Era:
    """Return the era named `text`. Raises InvalidInputError."""
    try:
        return Era(text)
    except ValueError:
        message = _("The era must be one of {eras}; it was “{text}”.").format(eras=", ".join(Era), text=text)
        raise InvalidInputError(message, {"era": message}) from None


def _wrong_label(label: str) -> str | None:
    if not label:
        return _("Enter a name. It is shown on every question from this server.")
    if len(label) > LONGEST_LABEL:
        return _("The name is too long. Use at most {n} characters.").format(n=LONGEST_LABEL)
    return None


def _wrong_url(url: str) -> str | None:
    if not url:
        return _("Enter the server URL, for example http://127.0.0.1:8000/mcp")
    if not is_http_url(url):
        return _("The URL must start with http:// or https:// and name a host, such as http://127.0.0.1:8000/mcp")
    return None


def _headers(text: str) -> tuple[dict[str, str], str | None]:
    headers: dict[str, str] = {}
    for line in filter(None, map(str.strip, text.splitlines())):
        name, colon, value = line.partition(":")
        if not colon:
            return {}, _("Write one header per line, such as “Authorization: Bearer abc”.")
        headers[name.strip()] = value.strip()
    return headers, wrong_header(headers)
