"""The cookie of a sign-in that has begun: signed, and of use for half an hour.

It has the PKCE verifier, the nonce and the state, without which the answer for another browser is of no use.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from secrets import token_urlsafe

from itsdangerous import BadData, SignatureExpired, URLSafeTimedSerializer

from webclient.oidc.refusals import Refusal, RefusedError

LONGEST = 1800
"""Seconds in which a person must sign in at the provider."""

LONGEST_PAGE = 1000
"""Characters of the page to go on to: a cookie has 4,096 bytes in all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BegunFlow:
    """A sign-in that waits for its answer."""

    state: str
    nonce: str
    verifier: str
    redirect_uri: str
    page: str


class BegunFlows:
    """Signs flows for the cookie, with a key of this process: a restart ends the flows that wait."""

    def __init__(self) -> None:
        self._serializer = URLSafeTimedSerializer(token_urlsafe(32), salt="oidc")

    def sealed(self, flow: BegunFlow) -> str:
        """Return a flow as text."""
        page = flow.page if len(flow.page) <= LONGEST_PAGE else "/"
        return str(self._serializer.dumps(asdict(flow) | {"page": page}))

    def opened(self, sealed: str | None, state: str) -> BegunFlow:
        """Return the flow of a text, which must be that of the state. Raises RefusedError."""
        try:
            flow = BegunFlow(**self._serializer.loads(sealed or "", max_age=LONGEST))
        except SignatureExpired as error:
            # Safe: its signature is right, only its time is over.
            page = error.payload and self._serializer.load_payload(error.payload).get("page")
            raise RefusedError(Refusal.LATE, str(page or "/")) from None
        except (BadData, TypeError):
            raise RefusedError(Refusal.UNKNOWN) from None
        # Each flow has a cookie of its own, so this fails only for a cookie that was put in the place of another.
        if flow.state != state:
            raise RefusedError(Refusal.UNKNOWN)
        return flow
