"""What a person typed to add a server, read and checked field by field."""

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
    """Return the server that was described. Raises InvalidInputError with a sentence for each field that is wrong."""
    url = first(posted, "url").strip()
    label = first(posted, "label").strip()
    headers, wrong_headers = _headers(first(posted, "headers"))
    errors = {"label": _wrong_label(label), "url": _wrong_url(url), "headers": wrong_headers}
    found = {name: error for name, error in errors.items() if error}
    if found:
        raise InvalidInputError(_("The server cannot be added yet."), found)
    kind = first(posted, "type") or _DETECT
    transport: Json = {"type": "http", "detect": True} if kind == _DETECT else {"type": kind}
    transport["url"] = url
    era = read_era(first(posted, "era") or Era.AUTO)
    return NewServer(label=label, transport=transport | ({"headers": headers} if headers else {}), era=era)


def read_era(text: str) -> Era:
    """Return the era called `text`. Raises InvalidInputError when there is none."""
    try:
        return Era(text)
    except ValueError:
        message = _("The era must be one of {eras}; it was “{text}”.").format(eras=", ".join(Era), text=text)
        raise InvalidInputError(message, {"era": message}) from None


def _wrong_label(label: str) -> str | None:
    if not label:
        return _("Give the server a name of your own; it stands above everything that the server asks.")
    if len(label) > LONGEST_LABEL:
        return _("This name is too long: at most {n} characters.").format(n=LONGEST_LABEL)
    return None


def _wrong_url(url: str) -> str | None:
    if not url:
        return _("Where does the server answer? For example http://127.0.0.1:8000/mcp")
    if not is_http_url(url):
        return _("The address must start with http:// or https:// and name a host, such as http://127.0.0.1:8000/mcp")
    return None


def _headers(text: str) -> tuple[dict[str, str], str | None]:
    headers: dict[str, str] = {}
    for line in filter(None, map(str.strip, text.splitlines())):
        name, colon, value = line.partition(":")
        if not colon:
            return {}, _("Write one header on each line, as in “Authorization: Bearer abc”.")
        headers[name.strip()] = value.strip()
    return headers, wrong_header(headers)
