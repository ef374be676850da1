"""Masks possible secrets in the transport of a server: for pages, the API, the database and errors.

Names stay, because they help to find a mistake; a value that may be a secret is masked.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from typing import Any

from webclient.content.secrets import looks_secret, names_secret
from webclient.domain.urls import HIDDEN, looks_random, mask_random_parts, mask_url

SHORTEST = 6
"""Characters; shorter values are not masked in other texts, where they would blank ordinary words."""

_OPTION = re.compile(r"--?([A-Za-z][\w.-]*)")
_ASSIGNED = re.compile(r"(-{0,2}([A-Za-z_][\w.-]*)(?:=|:[ \t]*(?!//)))(.+)", re.DOTALL)
_PAIR = re.compile(r"""(["']?([A-Za-z_][\w.-]{0,100})["']?\s?[=:]\s?["']?)([^\s"';&,}]+)""")
_PLACEHOLDER = re.compile(r"(?:Bearer |Basic )?\$\{[^}]*\}")
_HIDDEN_OR_PLACEHOLDER = re.compile(rf"{HIDDEN}|\$\{{[^}}]*\}}")
_SECRET_NAMES = frozenset({"auth", "authorization", "cookie", "header", "key", "pass", "pat", "pw", "token", "user"})
"""Names of secret options and variables, besides those of `secret_detection`."""

_PUBLIC_OAUTH = frozenset({"client_id", "issuer", "scope", "client_metadata_url", "grant", "exceptions"}) | {
    "idp_client_id",
    "idp_issuer",
    "idp_token_endpoint",
}
"""The settings of a sign-in that are not secret; any other is treated as one."""

_SCHEME = re.compile(r"(?:Bearer|Basic|Token)\s+", re.IGNORECASE)


def public_transport(transport: dict[str, Any]) -> dict[str, Any]:
    """Return `transport` as it may be shown and stored: no headers or environment, masked texts."""
    public = {key: value for key, value in transport.items() if key not in ("headers", "env")}
    if "url" in public:
        public["url"] = mask_url(public["url"])
    if public.get("args"):
        public["args"] = mask_arguments(public["args"])
    return public


def public_oauth(oauth: dict[str, Any]) -> dict[str, Any]:
    """Return the settings of a sign-in as they may be shown and stored: without secrets."""
    return {name: value for name, value in oauth.items() if name in _PUBLIC_OAUTH}


def mask_arguments(arguments: Collection[str]) -> list[str]:
    """Mask possible secrets in the arguments of a command: by option, name or format."""
    shown: list[str] = []
    expected = False
    for each in arguments:
        option = _OPTION.fullmatch(each)
        shown.append(HIDDEN if expected and not option and not _PLACEHOLDER.fullmatch(each) else _masked_argument(each))
        expected = option is not None and _is_secret(option[1])
    return shown


def secrets_of(transport: dict[str, Any], shown: dict[str, Any]) -> frozenset[str]:
    """Return the texts that no sentence about the server may contain: those masked in `shown`."""
    found = set(_hidden_texts(transport, shown))
    found |= {_SCHEME.sub("", each, count=1) for each in found}
    return frozenset(each for each in (text.strip() for text in found) if len(each) >= SHORTEST)


def mask_secrets(secrets: Collection[str], text: str) -> str:
    """Mask each of the `secrets` in `text`, longest first."""
    for each in sorted(secrets, key=len, reverse=True):
        text = text.replace(each, HIDDEN)
    return text


def _masked_argument(text: str) -> str:
    found = _ASSIGNED.fullmatch(text)
    if found is None:
        return _masked_text(text)
    if _is_secret(found[2]) and not _PLACEHOLDER.fullmatch(found[3]):
        return found[1] + HIDDEN
    return found[1] + _masked_text(found[3])


def _masked_text(text: str) -> str:
    if "://" in text:
        return mask_url(text)
    return HIDDEN if looks_secret(text) else mask_random_parts(_PAIR.sub(_masked_pair, text))


def _masked_pair(found: re.Match[str]) -> str:
    return found[1] + HIDDEN if _is_secret(found[2]) and "${" not in found[3] else found[0]


def _is_secret(name: str) -> bool:
    # `-H` is a header for every tool that has it, `-h` mostly the help.
    return name == "H" or name.lower() in _SECRET_NAMES or names_secret(name)


def _hidden_texts(transport: dict[str, Any], shown: dict[str, Any]) -> Iterator[str]:
    yield from (transport.get("headers") or {}).values()
    for name, value in (transport.get("env") or {}).items():
        if _is_secret(name) or looks_secret(value) or looks_random(value):
            yield value
    keys = [(transport.get(key), shown.get(key)) for key in ("url", "command", "cwd")]
    arguments = zip(transport.get("args") or [], shown.get("args") or [], strict=False)
    for given, seen in (*keys, *arguments):
        if given and seen is not None and given != seen:
            yield from _hidden_in(given, seen)


def _hidden_in(given: str, seen: str) -> Iterator[str]:
    """Yield what stands in `given` where `seen` has a mask or a placeholder."""
    around = map(re.escape, _HIDDEN_OR_PLACEHOLDER.split(seen))
    found = re.fullmatch("(.*?)".join(around), given, re.DOTALL)
    for each in found.groups() if found else [given]:
        yield each
        # An error may repeat the password of a login alone.
        yield each.rpartition(":")[2]
