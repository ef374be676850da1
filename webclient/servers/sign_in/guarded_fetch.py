"""Fetches small JSON documents from addresses that a server names, without being led where it must not lead (SSRF).

Time, size and redirects are bounded, compressed answers are refused, and no proxy of the environment is used.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import anyio
import httpcore2
import httpx2

from webclient.domain.model import Json, Reason, ReasonCode, SignInStepKind
from webclient.network import ForbiddenAddressError, NotHttpsError, UnknownHostError, check_url, network_reason
from webclient.servers.sign_in.errors import SignInError, UnavailableError
from webclient.servers.sign_in.proofs import NONCE_HEADER, usable_nonce

MOST_BYTES = 256 * 1024
STEP_SECONDS = 5.0
TOTAL_SECONDS = 15.0
MOST_REDIRECTS = 3
HEADERS = {"accept": "application/json", "accept-encoding": "identity"}

_TOO_MANY = 429

Record = Callable[..., None]
"""Takes a step of a sign-in: its kind, address and status, and what was found or why it failed (`Trace.add`)."""


@dataclass(frozen=True, slots=True)
class Fetched:
    """A response: its status, its JSON if it is an object, its address, its challenges, and how long it took.

    `nonce` is the one that it has for the next proof.
    """

    status: int
    body: Json | None
    url: str
    challenges: tuple[str, ...] = ()
    milliseconds: int = 0
    nonce: str | None = None

    @property
    def is_success(self) -> bool:
        """Whether the status is 200 and the body a JSON object."""
        return self.status == httpx2.codes.OK and self.body is not None

    @property
    def is_temporary(self) -> bool:
        """Whether the server failed in a way that may be over later."""
        return self.status >= httpx2.codes.INTERNAL_SERVER_ERROR or self.status == _TOO_MANY

    @property
    def unavailable(self) -> UnavailableError:
        """The error that says that the server fails."""
        where = urlsplit(self.url).netloc
        return UnavailableError(Reason.of(ReasonCode.SIGN_IN_UNAVAILABLE, where=where, status=self.status))


class GuardedFetch:
    """Sends requests with a client that connects to permitted addresses only, and records the steps of a sign-in."""

    def __init__(self, client: httpx2.AsyncClient, record: Record) -> None:
        self._client = client
        self._record = record

    async def get(self, url: str, kind: SignInStepKind) -> Fetched:
        """Fetch a document; redirects are followed within its origin.

        Raises SignInError: UnavailableError if it may succeed later.
        """
        for _redirect in range(MOST_REDIRECTS + 1):
            fetched, location = await self._send(kind, "GET", url)
            if location is None or not _is_same_origin(url, location):
                return fetched
            url = location
        return fetched

    async def post(self, url: str, kind: SignInStepKind, **body: Any) -> Fetched:
        """Post a form (`data`) or a document (`json`). Raises as `get`."""
        fetched, _location = await self._send(kind, "POST", url, **body)
        return fetched

    def record(self, kind: SignInStepKind, fetched: Fetched, *, found: str = "", reason: Reason | None = None) -> None:
        """Record the step that a response was."""
        self._record(kind, fetched.url, fetched.status, milliseconds=fetched.milliseconds, found=found, reason=reason)

    async def _send(self, kind: SignInStepKind, method: str, url: str, **options: Any) -> tuple[Fetched, str | None]:
        begun = time.monotonic()
        try:
            require_https(url)
            with anyio.fail_after(TOTAL_SECONDS):
                async with self._client.stream(method, url, **options) as response:
                    body = await _limited(response)
        except SignInError as error:
            self._record(kind, url, milliseconds=_since(begun), reason=error.reason)
            raise
        except (ForbiddenAddressError, UnknownHostError) as error:
            # One answer for both, without the address: users must not look up names of the internal network.
            reason = Reason.of(ReasonCode.SIGN_IN_FORBIDDEN_ADDRESS, host=urlsplit(url).hostname or "")
            self._record(kind, url, reason=reason)
            raise UnavailableError(reason) from error
        except (*_TIMEOUTS, *_FAILURES) as error:
            code = ReasonCode.SIGN_IN_TIMEOUT if isinstance(error, _TIMEOUTS) else ReasonCode.SIGN_IN_UNREACHABLE
            reason = network_reason(error, url) or Reason(code, {"where": urlsplit(url).netloc})
            self._record(kind, url, milliseconds=_since(begun), reason=reason)
            raise UnavailableError(reason) from error
        fetched = partial(Fetched, response.status_code, _read(response, body), str(response.url))
        challenges = tuple(response.headers.get_list("www-authenticate"))
        nonce = usable_nonce(response.headers.get(NONCE_HEADER))
        return fetched(challenges, _since(begun), nonce), _location(response)


_TIMEOUTS = (TimeoutError, httpcore2.TimeoutException, httpx2.TimeoutException)
_FAILURES = (httpcore2.NetworkError, httpcore2.ProtocolError, httpx2.TransportError, httpx2.InvalidURL)


def require_https(url: str) -> None:
    """Check a URL that a server names for a sign-in, as `check_url` does. Raises SignInError."""
    try:
        check_url(url)
    except NotHttpsError as error:
        raise SignInError(Reason.of(ReasonCode.SIGN_IN_NOT_HTTPS, url=error.url[:200])) from error


async def _limited(response: httpx2.Response) -> bytes:
    too_large = Reason.of(ReasonCode.SIGN_IN_ANSWER_UNUSABLE, where=response.url.netloc.decode("ascii", "replace"))
    if response.headers.get("content-encoding", "identity") != "identity":
        raise UnavailableError(too_large)
    body = bytearray()
    async for piece in response.aiter_raw():
        body += piece
        if len(body) > MOST_BYTES:
            raise UnavailableError(too_large)
    return bytes(body)


def _read(response: httpx2.Response, body: bytes) -> Json | None:
    """Return a JSON object; some token endpoints answer with a form in spite of `Accept`."""
    if response.headers.get("content-type", "").startswith("application/x-www-form-urlencoded"):
        return dict(parse_qsl(body.decode("ascii", "replace"), max_num_fields=50))
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _location(response: httpx2.Response) -> str | None:
    try:
        return str(response.url.join(response.headers["location"])) if response.has_redirect_location else None
    except (httpx2.InvalidURL, ValueError):
        return None


def _is_same_origin(one: str, other: str) -> bool:
    first, second = httpx2.URL(one), httpx2.URL(other)
    return (first.scheme, first.host, first.port) == (second.scheme, second.host, second.port)


def _since(begun: float) -> int:
    return round(1000 * (time.monotonic() - begun))
