"""Asks the configured ways who sends a request; the first way whose credential the request has decides."""

from __future__ import annotations

from collections.abc import Sequence

from starlette.requests import HTTPConnection

from webclient.auth.assertions import AssertionRefusedError
from webclient.auth.principal import Principal
from webclient.auth.refusals import Refusal, Refusals, address_of
from webclient.auth.way import InvalidCredentialError, LapsedUserError, SignIn, Way


class Identity:
    """The ways in the order in which they are asked, and the one behind the sign-in page; `refusals` are audited."""

    def __init__(self, ways: Sequence[Way], sign_in: SignIn, refusals: Refusals | None = None) -> None:
        self._ways = tuple(ways)
        self._refusals = refusals
        self.sign_in = sign_in

    async def identify(self, connection: HTTPConnection) -> Principal | None:
        """Return who sends the request, or None without a credential or with a wrong one.

        Raises AssertionRefusedError with the reason for which a proxy's assertion was refused, and LapsedUserError.
        """
        for way in self._ways:
            try:
                principal = await way.identify(connection)
            except AssertionRefusedError as error:
                await self._refused(connection, way, error.code.value)
                raise
            except LapsedUserError as error:
                await self._refused(connection, way, "lapsed_user", error.user_id)
                raise
            except InvalidCredentialError as error:
                await self._refused(connection, way, error.code, error.user_id)
                # Not on to the next way: the sender said who it is, and a second credential must not help a wrong one.
                return None
            if principal is not None:
                return principal
        return None

    async def _refused(self, connection: HTTPConnection, way: Way, code: str, user_id: str = "") -> None:
        if self._refusals and code:
            await self._refusals.add(Refusal(address=address_of(connection), way=way.name, code=code, user_id=user_id))
