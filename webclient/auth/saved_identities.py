"""The ID tokens with which users prove to their company's provider who they are, when a server is opened for them.

Promises: one is saved only while a server of the config file is opened that way, sealed, and is sent to the provider
that signed it alone; it is renewed by its refresh token, once for all that wait; and it ends with the session at the
provider, and with the right to sign in.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextvars import Context
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import TYPE_CHECKING, Protocol

from webclient.auth.oidc_provider.refusals import Refusal, RefusedError
from webclient.auth.oidc_provider.steps import EndedError, Finished, ProviderClient
from webclient.domain.model import SavedIdentity, now
from webclient.support import background

if TYPE_CHECKING:
    from webclient.auth.oidc_provider import Provider

EARLY = timedelta(seconds=30)
"""How long before its end an ID token is renewed, so that it does not end on its way."""


class NoIdentityError(Exception):
    """The user has no ID token that counts: they have to sign in at the provider again."""


class IdentityUnavailableError(Exception):
    """The provider does not answer now; later it may."""


class SavedTable(Protocol):
    """The ID tokens that are stored; the store has them."""

    async def get(self, user_id: str) -> SavedIdentity | None:
        """Return the ID token of a user, or None."""
        ...

    async def save(self, saved: SavedIdentity) -> None:
        """Store the ID token of a new sign-in."""
        ...

    async def renew(self, saved: SavedIdentity) -> bool:
        """Store a renewed one; False if the version before is not there any more."""
        ...

    async def remove(self, saved: SavedIdentity) -> None:
        """Remove one of this version."""
        ...

    async def remove_of_user(self, user_id: str) -> None:
        """Remove the one of a user."""
        ...


@dataclass(frozen=True, slots=True)
class ProvedIdentity:
    """A valid ID token of a user, and the client at the provider for which it was made."""

    id_token: str = field(repr=False)
    client: ProviderClient


class SavedIdentities:
    """Saves the ID tokens of the `provider`'s users, as long as a server `is_wanted` to be opened with them."""

    def __init__(self, table: SavedTable, provider: Provider, is_wanted: Callable[[], bool]) -> None:
        self._table = table
        self._provider = provider
        self._is_wanted = is_wanted
        self._renewing: dict[str, asyncio.Task[SavedIdentity]] = {}
        self.on_saved: Callable[[], Awaitable[None]] | None = None
        """Called when a user has signed in again."""

    @property
    def issuer(self) -> str:
        """The issuer of the ID tokens."""
        return self._provider.issuer

    async def save(self, user_id: str, finished: Finished) -> None:
        """Save the ID token of a sign-in that has finished, if it is of use."""
        if not self._is_wanted():
            await self._table.remove_of_user(user_id)
            return
        saved = SavedIdentity(
            user_id=user_id,
            issuer=self._provider.issuer,
            subject=finished.person.subject,
            id_token=finished.id_token,
            refresh_token=finished.refresh_token,
            ends_at=finished.ends_at,
            provider_session=finished.provider_session,
        )
        await self._table.save(saved)
        if self.on_saved is not None:
            await self.on_saved()

    async def of(self, user_id: str) -> ProvedIdentity:
        """Return a valid ID token of a user, renewed if it ends.

        Raises NoIdentityError, and IdentityUnavailableError while the provider does not answer.
        """
        saved = await self._table.get(user_id)
        if saved is None or saved.issuer != self._provider.issuer:
            raise NoIdentityError
        try:
            if saved.ends_at - EARLY <= now():
                saved = await self._renewed(user_id)
            return ProvedIdentity(saved.id_token, await self._provider.client())
        except RefusedError as error:
            raise IdentityUnavailableError from error

    async def _renewed(self, user_id: str) -> SavedIdentity:
        """Renew the ID token once for all that wait: a refresh token that is used twice may end the session."""
        if user_id not in self._renewing:
            task = background.start(self._renew(user_id), name="renew an ID token", awaited=True, context=Context())
            self._renewing[user_id] = task
            task.add_done_callback(lambda _task: self._renewing.pop(user_id, None))
        # Shielded: a caller that is cancelled must not lose a rotated token for the others.
        return await background.shared(self._renewing[user_id])

    async def _renew(self, user_id: str) -> SavedIdentity:
        saved = await self._table.get(user_id)
        if saved is None:
            raise NoIdentityError
        if saved.ends_at - EARLY > now():
            return saved
        if saved.refresh_token is None:
            await self._table.remove(saved)
            raise NoIdentityError
        try:
            new = await self._provider.renew(saved.refresh_token, saved.subject)
        except EndedError as error:
            await self._table.remove(saved)
            raise NoIdentityError from error
        except RefusedError as error:
            if error.refusal is Refusal.UNUSABLE:
                # What came was not the user's, or not signed: the provider is up, and gives nothing to go on with.
                await self._table.remove(saved)
                raise NoIdentityError from error
            raise
        renewed = replace(
            saved,
            id_token=new.id_token,
            refresh_token=new.refresh_token,
            ends_at=new.ends_at,
            version=saved.version + 1,
        )
        if await self._table.renew(renewed):
            return renewed
        # Another sign-in has taken its place meanwhile, or it has ended.
        return await self._renew(user_id)
