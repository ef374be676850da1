"""The assertion of a workload: a JWT in which the platform says which program this is (SEP-1933, RFC 7523).

It is read again for each token, because platforms renew it in its place: Kubernetes in a file, clouds at an address. It
goes to the authorization server that it is meant for, and to no other that a server may name.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import anyio
import anyio.to_thread
import httpx2

from webclient.auth import unchecked_claims
from webclient.domain.model import Reason, ReasonCode
from webclient.network import tls_context
from webclient.servers.sign_in.errors import SignInError, UnavailableError
from webclient.servers.sign_in.metadata import AuthorizationServer
from webclient.servers.sign_in.protected_server import ProtectedServer

SECONDS = 5.0
"""Seconds for reading an assertion; the address is on this machine, or near it."""

LARGEST = 64 * 1024
"""Bytes of an assertion, with the JSON around it."""

LEEWAY = 5
"""Seconds that an assertion must still be valid."""

_NAMES = ("value", "access_token", "id_token", "token")
"""Where the JSON of a platform has the JWT: GitHub, Azure, and others."""


async def workload_assertion(server: ProtectedServer, at: AuthorizationServer, ca_file: Path | None = None) -> str:
    """Return the assertion in the settings of a server, for the authorization server `at`. Raises SignInError."""
    assertion, where = await _read(server, ca_file)
    try:
        claims = unchecked_claims(assertion)
    except ValueError as error:
        raise _unreadable(where) from error
    ends = claims.get("exp")
    if isinstance(ends, int | float) and ends < time.time() + LEEWAY:
        raise UnavailableError(Reason(ReasonCode.SIGN_IN_ASSERTION_ENDED))
    if not _is_meant_for(claims.get("aud"), at):
        raise SignInError(Reason.of(ReasonCode.SIGN_IN_ASSERTION_OF_OTHER, issuer=at.issuer))
    return assertion


async def _read(server: ProtectedServer, ca_file: Path | None) -> tuple[str, str]:
    """Return the assertion, and a name for the place where it is."""
    if file := server.text("assertion_file"):
        return await _in_file(Path(file)), Path(file).name
    if url := server.text("assertion_url"):
        headers = server.oauth.get("assertion_headers") or {}
        where = urlsplit(url).netloc.rpartition("@")[2]
        return await _at_address(url, headers, where, ca_file), where
    if assertion := server.text("assertion"):
        return assertion.strip(), "assertion"
    raise SignInError(Reason.of(ReasonCode.SIGN_IN_NOT_CONFIGURED, name="assertion_file"))


async def _in_file(file: Path) -> str:
    try:
        data = await anyio.to_thread.run_sync(_limited, file)
        return data.decode().strip()
    except (OSError, ValueError) as error:
        raise _unreadable(file.name) from error


def _limited(file: Path) -> bytes:
    with file.open("rb") as opened:
        return opened.read(LARGEST)


async def _at_address(url: str, headers: Mapping[str, str], where: str, ca_file: Path | None) -> str:
    """Return the JWT at an address that the operator named, which may be that of this machine's metadata."""
    body = b""
    try:
        with anyio.fail_after(SECONDS):
            async with (
                httpx2.AsyncClient(verify=tls_context(ca_file), trust_env=False, follow_redirects=False) as client,
                client.stream("GET", url, headers={"accept-encoding": "identity", **headers}) as response,
            ):
                async for piece in response.aiter_raw():
                    body += piece
                    if len(body) > LARGEST:
                        raise _unreadable(where)
        if response.status_code == httpx2.codes.OK:
            return _jwt_in(body.decode().strip())
    except (TimeoutError, httpx2.HTTPError, httpx2.InvalidURL, ValueError) as error:
        raise UnavailableError(_unreadable(where).reason) from error
    raise UnavailableError(_unreadable(where).reason)


def _jwt_in(text: str) -> str:
    """Return the JWT that an answer is, or has as JSON. Raises ValueError."""
    if not text.startswith("{"):
        return text
    found: Any = json.loads(text)
    return next((found[name] for name in _NAMES if isinstance(found.get(name), str)), "")


def _is_meant_for(audience: Any, at: AuthorizationServer) -> bool:
    """Return whether an audience names the authorization server (RFC 7523, section 3)."""
    named = audience if isinstance(audience, list) else [audience]
    ours = {at.issuer.rstrip("/"), at.token_endpoint.rstrip("/")}
    return any(isinstance(each, str) and each.rstrip("/") in ours for each in named)


def _unreadable(where: str) -> SignInError:
    return SignInError(Reason.of(ReasonCode.SIGN_IN_NO_ASSERTION, where=where))
