"""Posts to addresses that a person or a program named: checked, bounded in time, and without following anything.

The response's body is not read: it comes from a stranger, and nothing depends on it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from http import HTTPStatus
from pathlib import Path

import anyio
import httpcore2
import httpx2

from webclient.domain.model import ReasonCode
from webclient.network.addresses import Network, Zone
from webclient.network.checked_transport import CheckedTransport, ForbiddenAddressError, UnknownHostError
from webclient.network.network_faults import network_reason
from webclient.network.outgoing import tls_context
from webclient.network.urls import NotHttpsError, check_url

SECONDS = 15.0
"""Seconds for one post, from the look-up of the name to the response's headers."""

LONGEST_WAIT = 24 * 3600.0
"""Seconds of a `Retry-After` that are respected; a receiver must not put us off for ever."""


class Fault(StrEnum):
    """Why nothing was posted, or no response came."""

    NOT_HTTPS = "not_https"
    FORBIDDEN_ADDRESS = "forbidden_address"
    TIMEOUT = "timeout"
    NOTHING_LISTENS = "nothing_listens"
    CERTIFICATE_INVALID = "certificate_invalid"
    NO_TLS = "no_tls"
    UNREACHABLE = "unreachable"


@dataclass(frozen=True, slots=True, kw_only=True)
class Posted:
    """The response's `status`, or the `fault` without one; `retry_after` is in seconds."""

    status: int | None = None
    fault: Fault | None = None
    retry_after: float | None = None

    @property
    def is_success(self) -> bool:
        """Whether the status is 2xx; a redirect is none, because it is not followed."""
        return self.status is not None and HTTPStatus.OK <= self.status < HTTPStatus.MULTIPLE_CHOICES

    @property
    def is_gone(self) -> bool:
        """Whether the receiver says that its address is gone for good."""
        return self.status == HTTPStatus.GONE

    @property
    def why(self) -> str:
        """The status, or else the code of the fault."""
        return str(self.status or self.fault)


class Poster:
    """Posts to the internet and to the `networks` that the operator names; call `close` at the end.

    `ca_file` is that of the settings.
    """

    def __init__(self, networks: Sequence[Network] = (), ca_file: Path | None = None) -> None:
        self._networks = networks
        self._ca_file = ca_file

    async def post(self, url: str, body: bytes, headers: Mapping[str, str]) -> Posted:
        """Post a body; what goes wrong is returned, not raised."""
        try:
            check_url(url)
            with anyio.fail_after(SECONDS):
                async with self._client.stream("POST", url, content=body, headers=dict(headers)) as response:
                    return Posted(status=response.status_code, retry_after=_seconds(response.headers))
        except NotHttpsError:
            return Posted(fault=Fault.NOT_HTTPS)
        except (ForbiddenAddressError, UnknownHostError):
            return Posted(fault=Fault.FORBIDDEN_ADDRESS)
        except _TIMEOUTS:
            return Posted(fault=Fault.TIMEOUT)
        except _FAILURES as error:
            reason = network_reason(error, url)
            return Posted(fault=_FAULT_OF.get(reason.code, Fault.UNREACHABLE) if reason else Fault.UNREACHABLE)

    async def close(self) -> None:
        """Close all connections."""
        if "_client" in self.__dict__:
            await self._client.aclose()

    @cached_property
    def _client(self) -> httpx2.AsyncClient:
        # Made when it is needed first: the authorities of TLS take memory, and most programs never post.
        return httpx2.AsyncClient(
            transport=CheckedTransport({Zone.PUBLIC}, tls_context(self._ca_file), self._networks),
            timeout=SECONDS,
            trust_env=False,
            follow_redirects=False,
        )


def _seconds(headers: httpx2.Headers) -> float | None:
    """Return the seconds of `Retry-After` (RFC 9110 section 10.2.3); a date is not understood."""
    text = headers.get("retry-after", "")
    return min(float(text), LONGEST_WAIT) if text.isascii() and text.isdigit() and len(text) < 10 else None


_FAULT_OF = {
    ReasonCode.NOTHING_LISTENS: Fault.NOTHING_LISTENS,
    ReasonCode.CERTIFICATE_INVALID: Fault.CERTIFICATE_INVALID,
    ReasonCode.NOT_HTTPS: Fault.NO_TLS,
}
_TIMEOUTS = (TimeoutError, httpcore2.TimeoutException, httpx2.TimeoutException)
_FAILURES = (
    httpcore2.NetworkError,
    httpcore2.ProtocolError,
    httpcore2.UnsupportedProtocol,
    httpx2.HTTPError,
    httpx2.InvalidURL,
    OSError,
    UnicodeError,
)
