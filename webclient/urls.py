"""What counts as the address of a server on the web, and how an address is shown without what may be a secret in it."""

from __future__ import annotations

import re
from itertools import pairwise
from urllib.parse import urlsplit

HIDDEN = "•••"
"""Stands where something that may be a secret was."""

_LOGIN = re.compile(r"(?<=://)[^/?#\\\s]*@")
_AFTER_PATH = re.compile(r"[?#].*", re.DOTALL)
_VALUE = re.compile(r"([^?#&;=]*=)[^#&;]*")
_NAMELESS = re.compile(r"([?#&;])[^?#&;=]+(?=[#&;]|$)")
_RUN = re.compile(r"[A-Za-z0-9]{12,}")
_UUID = re.compile(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}", re.IGNORECASE)
_PART = re.compile(r"[A-Za-z0-9_~-]+")
_PLACEHOLDER = re.compile(r"\$\{[^}]*\}")

_CHANGES = 4
"""Changes between small letters, capitals and digits from which on a run of them was made by a machine."""


def is_http_url(url: str) -> bool:
    """Whether `url` is an absolute http or https URL with a host."""
    try:
        parts = urlsplit(url)
        return parts.scheme in ("http", "https") and bool(parts.hostname)
    except ValueError:
        return False


def mask_url(url: str) -> str:
    """Return `url` without user and password, values of its query, and parts of its path that look random.

    Scheme, host and port stay, so that one sees where it leads; `${VAR}` stays, too.
    """
    start, rest = _split(_LOGIN.sub(f"{HIDDEN}@", url))
    scheme, colons, path = start.rpartition("://")
    return scheme + colons + mask_random_parts(path) + _NAMELESS.sub(rf"\1{HIDDEN}", _VALUE.sub(_masked_value, rest))


def mask_random_parts(text: str) -> str:
    """Return `text` with each part that looks random in place of itself, such as a key in a path."""
    return _PART.sub(lambda found: HIDDEN if looks_random(found[0]) else found[0], text)


def looks_random(text: str) -> bool:
    """Whether a word was made by a machine: a UUID, or a long run in which letters and digits take turns."""
    return bool(_UUID.search(text)) or any(_changes(run[0]) >= _CHANGES for run in _RUN.finditer(text))


def _split(url: str) -> tuple[str, str]:
    found = _AFTER_PATH.search(url)
    return (url[: found.start()], found[0]) if found else (url, "")


def _masked_value(found: re.Match[str]) -> str:
    name, value = found[1], found[0][len(found[1]) :]
    return found[0] if not value or _PLACEHOLDER.fullmatch(value) else f"{name}{HIDDEN}"


def _changes(run: str) -> int:
    kinds = ["0" if char.isdigit() else "a" if char.islower() else "A" for char in run]
    if "0" not in kinds or len(set(kinds)) == 1:
        return 0
    return sum(before != after for before, after in pairwise(kinds))
