"""Reads the challenges of a `WWW-Authenticate` header, and selects the scopes that a sign-in requests after one.

Sources: RFC 9110, section 11.6.1; RFC 6750, section 3; RFC 9449, section 7.1; MCP 2026-07-28, Authorization, Scope
Selection Strategy and Step-Up.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from webclient.domain.model import Grant

_WORD = r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+"
_ITEM = re.compile(
    rf'\s*(?:(?P<a_name>{_WORD})\s*=\s*(?:"(?P<a_quoted>(?:[^"\\]|\\.)*+)"|(?P<a_value>{_WORD}))'
    rf"|(?P<a_scheme>{_WORD})(?:[ \t]+[A-Za-z0-9\-._~+/]+=*(?=\s*(?:,|$)))?)\s*,?"
)
_ESCAPED = re.compile(r"\\(.)")

_SCHEMES = ("bearer", "dpop")

BEARER_ONLY = frozenset({"bearer"})

LONGEST_HEADER = 8192
"""Characters that are read of one header; no server needs more."""


@dataclass(frozen=True, slots=True)
class Challenge:
    """The challenge of a server: what it says of a token that is missing, or not enough.

    `schemes` are those in which it takes tokens: `bearer`, `dpop`, or both.
    """

    resource_metadata: str | None = None
    scope: str | None = None
    error: str | None = None
    schemes: frozenset[str] = BEARER_ONLY

    @property
    def wants_more_scope(self) -> bool:
        """Whether the token is good and its scope is not (RFC 6750, section 3.1)."""
        return self.error == "insufficient_scope"

    @property
    def takes_proof(self) -> bool:
        """Whether the server takes tokens that are bound to a key (RFC 9449, section 7.1)."""
        return "dpop" in self.schemes

    @property
    def requires_proof(self) -> bool:
        """Whether the server takes no others."""
        return self.schemes == {"dpop"}


def token_challenge(headers: Iterable[str]) -> Challenge | None:
    """Return the most specific Bearer or DPoP challenge in these header lines, or None.

    A header may have several challenges, and several headers one each. Parameters are read case-insensitively, the
    first of a name counts, and an empty scope counts as none.
    """
    challenges = (each for line in headers for each in _challenges(line))
    found = [(scheme, parameters) for scheme, parameters in challenges if scheme in _SCHEMES]
    if not found:
        return None
    known = ("resource_metadata", "scope", "error")
    best = max((parameters for _, parameters in found), key=lambda each: sum(bool(each.get(name)) for name in known))
    metadata, scope, error = (best.get(name) or None for name in known)
    return Challenge(metadata, scope, error, frozenset(scheme for scheme, _ in found))


def _challenges(line: str) -> Iterator[tuple[str, dict[str, str]]]:
    line, place = line[:LONGEST_HEADER], 0
    scheme, parameters = "", dict[str, str]()
    while place < len(line) and (item := _ITEM.match(line, place)) and item.end() > place:
        place = item.end()
        if item["a_scheme"]:
            if scheme:
                yield scheme, parameters
            scheme, parameters = item["a_scheme"].lower(), {}
        else:
            value = item["a_value"] if item["a_quoted"] is None else _ESCAPED.sub(r"\1", item["a_quoted"])
            parameters.setdefault(item["a_name"].lower(), value)
    if scheme:
        yield scheme, parameters


OFFLINE = "offline_access"


def selected(
    configured: str | None, challenge: Challenge, known: tuple[str, ...] | None, before: Grant | None
) -> tuple[str, ...]:
    """Return the scopes to request: configured, else those of the challenge, else all that the server knows.

    A server that wants more scope gets it beside all that was requested and granted `before`, so that nothing is lost.
    """
    first = configured or challenge.scope
    wanted = tuple(first.split()) if first else known or ()
    if challenge.wants_more_scope and before:
        missing = tuple((challenge.scope or "").split())
        wanted = (*before.requested, *before.scopes, *wanted, *missing)
    return tuple(dict.fromkeys(wanted))


def with_offline(scopes: tuple[str, ...], known: tuple[str, ...]) -> tuple[str, ...]:
    """Return the scopes, with that for a refresh token if the server knows it (SEP-2207)."""
    return (*scopes, OFFLINE) if OFFLINE in known and OFFLINE not in scopes else scopes
