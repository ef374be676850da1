"""Sign-ins that have begun: each is kept by its browser in a cookie, sealed, and of use once and for half an hour.

It has the PKCE verifier, the nonce and the state, without which the answer for another browser is of no use. The keys
are those of the store, so a restart in the middle of a sign-in does not end it.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from datetime import datetime, timedelta
from urllib.parse import quote, unquote

from webclient.auth.oidc_provider.refusals import Refusal, RefusedError
from webclient.domain.model import now
from webclient.store import LostKeyError, Sealer, UsedTokens

LONGEST = timedelta(minutes=30)
"""Time in which a person must sign in at the provider."""

LONGEST_PAGE = 1000
"""Characters of the page to go on to: a cookie has 4,096 bytes in all."""

_NAME = "oidc sign-in"
"""The name for which flows are sealed and under which they are used up."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BegunFlow:
    """A sign-in that waits for its answer."""

    state: str
    nonce: str
    verifier: str
    redirect_uri: str
    page: str
    begun_at: datetime = field(default_factory=now)

    @property
    def ends_at(self) -> datetime:
        """The moment from which it is of no use."""
        return self.begun_at + LONGEST


class BegunFlows:
    """Seals flows for the cookie with `sealer`; `used_tokens` remembers each flow that was used."""

    def __init__(self, sealer: Sealer, used_tokens: UsedTokens) -> None:
        self._sealer = sealer
        self._used_tokens = used_tokens

    def sealed(self, flow: BegunFlow) -> str:
        """Return a flow as the value of a cookie."""
        page = flow.page if len(flow.page) <= LONGEST_PAGE else "/"
        values = asdict(flow) | {"page": page, "begun_at": flow.begun_at.isoformat()}
        # An operator chooses the names of keys, and a sealed text begins with one.
        return quote(self._sealer.seal(values, _NAME, flow.state), safe="=")

    def opened(self, sealed: str | None, state: str) -> BegunFlow:
        """Return the flow of a cookie, which must be that of the state. Raises RefusedError."""
        try:
            # Safe: only we can seal, and the state is part of the name that it was sealed for.
            values = self._sealer.open(unquote(sealed or ""), _NAME, state)
            flow = BegunFlow(**values | {"begun_at": datetime.fromisoformat(values["begun_at"])})
        except (LostKeyError, LookupError, TypeError):
            # Of another version of this program, it has other values.
            raise RefusedError(Refusal.UNKNOWN) from None
        if flow.ends_at <= now():
            raise RefusedError(Refusal.LATE, flow.page)
        return flow

    async def use_up(self, flow: BegunFlow) -> None:
        """Note that a flow has ended in a sign-in; raises RefusedError the second time."""
        if not await self._used_tokens.use(_NAME, flow.state, flow.ends_at):
            raise RefusedError(Refusal.UNKNOWN, flow.page)
