"""URLs of servers: which are valid, and how they are shown with possible secrets masked."""

from __future__ import annotations

import re
from itertools import pairwise
from urllib.parse import urlsplit

HIDDEN = "•••"
"""The mask for a possible secret."""

_LOGIN = re.compile(r"(?<=://)[^/?#\\\s]*@")
_AFTER_PATH = re.compile(r"[?#].*", re.DOTALL)
_VALUE = re.compile(r"([^?#&;=]*=)[^#&;]*")
_NAMELESS = re.compile(r"([?#&;])[^?#&;=]+(?=[#&;]|$)")
_RUN = re.compile(r"[A-Za-z0-9]{12,}")
_UUID = re.compile(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}", re.IGNORECASE)
_PART = re.compile(r"[A-Za-z0-9_~-]+")
_PLACEHOLDER = re.compile(r"\$\{[^}]*\}")

_CHANGES = 4
"""Changes between small letters, capitals and digits that mark a run as random."""


def is_http_url(url: str) -> bool:
    """Return whether a request can be sent to `url`: http or https, with a host."""
    import httpx2  # noqa: PLC0415  (loading takes a while, and the command line reads addresses as well)

    try:
        # Both: only one of them refuses `http://0177.0.0.1/`, or a host with hidden characters.
        parts, parsed = urlsplit(url), httpx2.URL(url)
        # Names are looked up in this encoding, which refuses empty and long labels. Ports are read to be checked.
        parsed.raw_host.decode("ascii").encode("idna")
        return parts.scheme in ("http", "https") and bool(parts.hostname and parsed.raw_host) and parts.port != 0
    except (httpx2.InvalidURL, ValueError):
        return False


def mask_url(url: str) -> str:
    """Mask the login, query values and random-looking path parts of `url`.

    Scheme, host and port stay, to show where it leads; `${VAR}` stays, too.
    """
    start, rest = _split(_LOGIN.sub(f"{HIDDEN}@", url))
    scheme, colons, path = start.rpartition("://")
    return scheme + colons + mask_random_parts(path) + _NAMELESS.sub(rf"\1{HIDDEN}", _VALUE.sub(_masked_value, rest))


def mask_random_parts(text: str) -> str:
    """Mask each random-looking part of `text`, such as a key in a path."""
    return _PART.sub(lambda found: HIDDEN if looks_random(found[0]) else found[0], text)


def looks_random(text: str) -> bool:
    """Return whether a word looks random: a UUID, or a long run of alternating letters and digits."""
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
