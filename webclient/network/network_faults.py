"""Why no network connection could be made: nothing listens, the host is unknown, or TLS failed."""

from __future__ import annotations

import socket
import ssl
from collections.abc import Iterator
from urllib.parse import urlsplit

from webclient.domain.model import Reason, ReasonCode
from webclient.network.checked_transport import ForbiddenAddressError, UnknownHostError

_USUAL_PORTS = {"http": 80, "https": 443}

_LONGEST_TEXT = 300

_CAUSES = (ForbiddenAddressError, UnknownHostError, socket.gaierror, ssl.SSLError, ConnectionRefusedError)


def network_reason(error: BaseException, url: str) -> Reason | None:
    """Return the reason for a failed connection to `url`, from the errors behind `error`; None for another error."""
    causes = list(_behind(error))
    if not any(isinstance(cause, _CAUSES) for cause in causes):
        # Also an address that cannot be parsed ends here.
        return None
    parts = urlsplit(url)
    host, port = parts.hostname or "", parts.port or _USUAL_PORTS.get(parts.scheme, 0)
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
    return Reason.of(ReasonCode.NOTHING_LISTENS, host=host, port=str(port))


def network_words(reason: Reason) -> str:
    """Return what `network_reason` found in English, with the setting to look at: for the log."""
    return _WORDS[reason.code].format(**reason.params)


_WORDS = {
    ReasonCode.ADDRESS_FORBIDDEN: "{host} was not found, or is at a forbidden address",
    ReasonCode.HOST_UNKNOWN: "the host {host} was not found",
    ReasonCode.NOTHING_LISTENS: "nothing is listening on port {port} of {host}",
    ReasonCode.NOT_HTTPS: "port {port} of {host} does not speak HTTPS",
    ReasonCode.CERTIFICATE_INVALID: "the certificate of {host} is not trusted: {error}; if a private authority has "
    "issued it, --ca-file (WEBCLIENT_CA_FILE) names the file with its certificate",
}


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
