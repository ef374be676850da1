"""HTTP responses in place of a session."""

from __future__ import annotations

from webclient.domain.model import ReasonCode
from webclient.protocol.transports.http_statuses import HttpRefusal, refusal_reason


def test_a_refused_token_reads_otherwise_than_a_missing_one() -> None:
    missing, refused = (refusal_reason(HttpRefusal(status=401, authorized=each), "here").code for each in (False, True))
    assert (missing, refused) == (ReasonCode.HTTP_UNAUTHORIZED, ReasonCode.HTTP_TOKEN_REJECTED)
