"""Why no network connection could be made: nothing listens, the host is unknown, or TLS failed."""

from __future__ import annotations

import socket
import ssl
from collections.abc import Iterator
from urllib.parse import urlsplit

from webclient.model import Reason, ReasonCode
from webclient.outbound import ForbiddenAddressError, UnknownHostError

_USUAL_PORTS = {"http": 80, "https": 443}

_LONGEST_TEXT = 300


def network_reason(error: BaseException, url: str) -> Reason | None:
    """Return the reason for a failed connection to `url`, from the errors behind `error`; None for another error."""
    parts = urlsplit(url)
    host, port = parts.hostname or "", parts.port or _USUAL_PORTS.get(parts.scheme, 0)
    causes = list(_behind(error))
    # One reason for both, and looked for first: a user must not learn which names exist in the internal network.
    if any(isinstance(cause, ForbiddenAddressError | UnknownHostError) for cause in causes):
        return Reason.of(ReasonCode.ADDRESS_FORBIDDEN, host=host)
    for cause in causes:
        if isinstance(cause, socket.gaierror):
            return Reason.of(ReasonCode.HOST_UNKNOWN, host=host)
        if isinstance(cause, ssl.SSLCertVerificationError):
            return Reason.of(ReasonCode.CERTIFICATE_INVALID, host=host, error=cause.verify_message[:_LONGEST_TEXT])
        if isinstance(cause, ssl.SSLError):
            return Reason.of(ReasonCode.NOT_HTTPS, host=host, port=str(port))
    if any(isinstance(cause, ConnectionRefusedError) for cause in causes):
        return Reason.of(ReasonCode.NOTHING_LISTENS, host=host, port=str(port))
    return None


def _behind(error: BaseException) -> Iterator[BaseException]:
    """Yield the error and its causes, also in groups: a connection is tried to each address of a host."""
    seen: set[int] = set()
    left: list[BaseException | None] = [error]
    while left:
        each = left.pop()
        if each is None or id(each) in seen:
            continue
        seen.add(id(each))
        yield each
        left += [each.__cause__, each.__context__]
        if isinstance(each, BaseExceptionGroup):
            left += each.exceptions
