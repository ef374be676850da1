"""Reads and checks the forms that add or change a server."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from webclient.content.visible_text import visible
from webclient.domain.errors import InvalidInputError
from webclient.domain.i18n import gettext as _
from webclient.domain.i18n import one_of, sentences
from webclient.domain.model import Era, Json
from webclient.domain.transport_rules import wrong_header
from webclient.domain.urls import is_http_url
from webclient.servers.config_file import ServerConfig, is_snippet, read_snippet
from webclient.settings import ConfigError, is_loopback
from webclient.web.pages.posted_form import Posted, first

LONGEST_LABEL = 80

NO_LABEL = "-"
"""In the place of a label that may be empty."""

_DETECT = "auto"

_WITHOUT_SCHEME = re.compile(
    r"(\[[0-9a-fA-F:.]+\]|localhost|[\w-]+(?:\.[\w-]+)+|[\w-]+(?=:\d))(?::\d+)?(?:[/?].*)?", re.IGNORECASE
)
"""An address as people type it: a host with a dot or a port, and perhaps a path."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NewServer:
    """A server to add: the arguments of `Servers.add`, and the keys of its entry that have no effect (`unused`)."""

    label: str
    transport: Json
    era: Era
    unused: Sequence[str] = ()

    @property
    def typed(self) -> dict[str, str]:
        """The server as the form shows it."""
        headers = "\n".join(f"{name}: {value}" for name, value in (self.transport.get("headers") or {}).items())
        kind = _DETECT if "detect" in self.transport else self.transport["type"]
        return {
            "label": self.label,
            "url": self.transport["url"],
            "type": kind,
            "era": self.era,
            "headers": headers,
        }

    @property
    def entry(self) -> Json:
        """The server as an entry of an `mcp.json`."""
        kind = {} if "detect" in self.transport else {"type": self.transport["type"]}
        era = {} if self.era is Era.AUTO else {"era": self.era}
        headers = {"headers": self.transport["headers"]} if self.transport.get("headers") else {}
        return {"url": self.transport["url"], **kind, **headers, **era}


def read_new_servers(posted: Posted) -> tuple[list[NewServer], list[str]]:
    """Return the servers to add, and a sentence for each one that cannot be added.

    The address field also takes part of an `mcp.json`. Raises InvalidInputError with a sentence for each
    invalid field.
    """
    if not is_snippet(first(posted, "url")):
        return [read_new_server(posted)], []
    try:
        configs = read_snippet(first(posted, "url"))
    except ConfigError as error:
        raise _invalid({"url": str(error)}) from error
    usable = [config for config in configs if not config.error]
    wrong = [config.error for config in configs if config.error]
    if not usable:
        raise _invalid({"url": sentences(wrong)})
    if len(usable) > 1:
        return [_from_config(config, config.label) for config in usable], wrong
    return [_from_config(usable[0], usable[0].label or first(posted, "label").strip())], wrong


def read_new_server(posted: Posted) -> NewServer:
    """Return the new server, without a label if none was typed.

    Raises InvalidInputError with a sentence for each invalid field.
    """
    url, label = read_url(posted), first(posted, "label").strip()
    headers, wrong_headers = read_headers(first(posted, "headers"))
    if errors := wrong_fields(label or NO_LABEL, url, wrong_headers):
        raise _invalid(errors)
    era = read_era(first(posted, "era") or Era.AUTO)
    return NewServer(label=label, transport=read_transport(posted, url, headers), era=era)


def free_label(url: str, claims: str, taken: Collection[str]) -> str:
    """Return a label for a server at `url` without one: its host, or on this machine what it calls itself.

    A label is trusted, so a server elsewhere must not choose its own; nor one that is `taken`.
    """
    at = urlsplit(url)
    claimed = visible(claims, LONGEST_LABEL).strip()[:LONGEST_LABEL]
    is_free = claimed.casefold() not in {label.casefold() for label in taken}
    if claimed and is_free and is_loopback(at.hostname or ""):
        return claimed
    return at.netloc.rpartition("@")[2][:LONGEST_LABEL]


def read_url(posted: Posted) -> str:
    """Return the posted address; without a scheme it gets http on this machine, and https elsewhere."""
    url = (first(posted, "address") or first(posted, "url")).strip()
    found = _WITHOUT_SCHEME.fullmatch(url)
    if found is None:
        return url
    host = found[1].removeprefix("[").removesuffix("]")
    return f"http://{url}" if is_loopback(host) else f"https://{url}"


def read_transport(posted: Posted, url: str, headers: Mapping[str, str]) -> Json:
    """Return the transport to a server at `url`; its type is detected if the person chose none."""
    kind = first(posted, "type") or _DETECT
    transport: Json = {"type": "http", "detect": True} if kind == _DETECT else {"type": kind}
    return {**transport, "url": url} | ({"headers": dict(headers)} if headers else {})


def read_era(text: str) -> Era:
    """Return the era named `text`. Raises InvalidInputError."""
    try:
        return Era(text)
    except ValueError:
        message = _("The protocol version must be one of {eras}; it was “{text}”.").format(
            eras=one_of(list(Era)), text=text
        )
        raise InvalidInputError(message, {"era": message}) from None


def read_headers(text: str) -> tuple[dict[str, str], str | None]:
    """Return the headers, one to a line, and the sentence on the first invalid one."""
    headers: dict[str, str] = {}
    for line in filter(None, map(str.strip, text.splitlines())):
        name, colon, value = line.partition(":")
        if not colon:
            return {}, _("Write one header per line, such as “Authorization: Bearer abc”.")
        headers[name.strip()] = value.strip()
    return headers, wrong_header(headers)


def wrong_fields(label: str, url: str, wrong_headers: str | None) -> dict[str, str]:
    """Return a sentence for each invalid field; `wrong_headers` is that of the headers (`read_headers`), or None."""
    errors = {"label": _wrong_label(label), "url": _wrong_url(url), "headers": wrong_headers}
    return {name: error for name, error in errors.items() if error}


def _from_config(config: ServerConfig, label: str) -> NewServer:
    return NewServer(label=label[:LONGEST_LABEL], transport=config.transport, era=config.era, unused=config.unused)


def _invalid(errors: Mapping[str, str]) -> InvalidInputError:
    return InvalidInputError(_fix(), dict(errors))


def _fix() -> str:
    return _("The server was not added. Fix the fields below.")


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
