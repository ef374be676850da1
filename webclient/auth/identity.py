"""Asks the configured authenticators who sends a request; the first one whose credential the request has decides."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from starlette.requests import HTTPConnection

from webclient.auth.assertions import AssertionRefusedError
from webclient.auth.authenticator import (
    Authenticator,
    DisabledUserError,
    InvalidCredentialError,
    LapsedUserError,
    NoUserError,
    SignIn,
)
from webclient.auth.credentials import is_gateway
from webclient.auth.oidc_provider import AccessTokenRefusedError
from webclient.auth.principal import Principal
from webclient.auth.refusals import Refusal, Refusals, address_of


class Identity:
    """Authenticators in the order in which they are asked; `sign_in` serves the sign-in page."""

    def __init__(
        self,
        authenticators: Sequence[Authenticator],
        sign_in: SignIn,
        refusals: Refusals | None = None,
        challenge: Callable[[HTTPConnection], str] | None = None,
    ) -> None:
        self._authenticators = tuple(authenticators)
        self._refusals = refusals
        self._challenge = challenge
        self.sign_in = sign_in

    def challenge(self, connection: HTTPConnection) -> str:
        """Return what a refusal says of how to sign in: agents learn where they can do so by themselves."""
        if self._challenge is None or not is_gateway(connection):
            return "Bearer"
        return f"Bearer {self._challenge(connection)}"

    async def identify(self, connection: HTTPConnection) -> Principal | None:
        """Return who sends the request, or None without a credential or with a wrong one.

        Raises AssertionRefusedError and AccessTokenRefusedError with the reason for which a proxy's assertion or a
        provider's token was refused, LapsedUserError, NoUserError and DisabledUserError.
        """
        for authenticator in self._authenticators:
            try:
                principal = await authenticator.identify(connection)
            except (AssertionRefusedError, AccessTokenRefusedError) as error:
                await self._refused(connection, authenticator, error.code.value)
                raise
            except LapsedUserError as error:
                await self._refused(connection, authenticator, "lapsed_user", error.user_id)
                raise
            except NoUserError as error:
                await self._refused(connection, authenticator, error.code, error.user_id)
                raise
            except InvalidCredentialError as error:
                await self._refused(connection, authenticator, error.code, error.user_id)
                if error.code == "disabled_user":
                    raise DisabledUserError from None
                # Not on to the next one: the sender said who it is, and a second credential must not help a wrong one.
                return None
            if principal is not None:
                return principal
        return None

    async def _refused(
        self, connection: HTTPConnection, authenticator: Authenticator, code: str, user_id: str = ""
    ) -> None:
        if self._refusals and code:
            await self._refusals.add(
                Refusal(address=address_of(connection), way=authenticator.name, code=code, user_id=user_id)
            )
