"""Changes of users by administrators: the same for the page, the API, and commands beside this program.

A command changes the database only. This program looks there every second, and ends what is in its memory.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Collection, Coroutine, Sequence
from dataclasses import dataclass
from typing import Any

from webclient.domain.errors import ConflictError, NotFoundError, WebclientError
from webclient.domain.i18n import gettext as _
from webclient.domain.model import COMMAND_LINE, LOCAL_USER, ProgramToken, Reason, ReasonCode, User, acting, asker_id_of
from webclient.inbox import ProgramRequests
from webclient.notifications import Notices
from webclient.protocol.wire_log import WireLogWriter
from webclient.servers.connections import Presence
from webclient.store import StorageError, Store, UserFilter
from webclient.support import background
from webclient.support.background import CancellableTask

logger = logging.getLogger(__name__)

LOOK = 1.0
"""Seconds between two looks at what commands have changed, if nothing is announced: who is disabled is out in two."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """A user, whether they are here, and how much there is of theirs."""

    user: User
    is_here: bool
    servers: int
    open_calls: int
    waiting: int

    @property
    def name(self) -> str:
        """The name by which an administrator knows the user best."""
        return self.user.shown_name


class Accounts:
    """The users as administrators see and change them.

    With `by_token`, the token signs an administrator in, beside all others.
    """

    def __init__(
        self,
        store: Store,
        presence: Presence,
        notices: Notices,
        program_requests: ProgramRequests,
        log_writer: WireLogWriter,
        *,
        by_token: bool,
    ) -> None:
        self._store = store
        self._presence = presence
        self._notices = notices
        self._program_requests = program_requests
        self._log_writer = log_writer
        self._by_token = by_token
        self.here_elsewhere: Callable[[Collection[str]], Awaitable[Collection[str]]] | None = None
        """Returns those of some users who are here in another process."""
        self.pause = LOOK
        self._work: dict[str, CancellableTask] = {}
        self._failed: set[str] = set()

    async def page(
        self, wanted: UserFilter, *, after: str | None = None, limit: int | None = None
    ) -> tuple[Sequence[Account], bool]:
        """Return users in the order in which they first came, and whether there are more.

        With `after`, those after the user with this id. Raises NotFoundError if there is none.
        """
        found, is_more = await self._store.users.page(wanted, after=after, limit=limit)
        here = await self._here([user.id for user, _counts in found])
        return [self._account(user, user.id in here, *counts) for user, counts in found], is_more

    async def get(self, user_id: str) -> Account:
        """Return a user. Raises NotFoundError."""
        found = await self._store.users.counts(user_id)
        if found is None:
            raise NotFoundError(_("This user does not exist. They may have been deleted."))
        return self._account(found[0], user_id in await self._here([user_id]), *found[1])

    async def _here(self, user_ids: Collection[str]) -> Collection[str]:
        elsewhere = await self.here_elsewhere(user_ids) if self.here_elsewhere else ()
        return {*self._presence.here, *elsewhere}

    def _account(self, user: User, is_here: bool, servers: int, open_calls: int, waiting: int) -> Account:
        return Account(user=user, is_here=is_here, servers=servers, open_calls=open_calls, waiting=waiting)

    async def disable(self, user_id: str) -> None:
        """End all sign-ins, streams and connections of a user, and refuse further requests.

        Raises ConflictError for the last administrator.
        """
        await self._store.users.disable(user_id, even_last=self._by_token)
        await self._presence.leave(user_id, Reason(ReasonCode.USER_DISABLED))

    async def enable(self, user_id: str) -> None:
        """Let a disabled user sign in again."""
        await self._store.users.enable(user_id)
        self._failed.discard(user_id)
        # What came meanwhile is noticed now.
        self._notices.look(user_id)

    async def erase(self, user_id: str) -> None:
        """Erase a user with everything of theirs.

        Raises ConflictError; the user is disabled then, or was not changed.
        """
        await self.disable(user_id)
        try:
            # Before the rows: as long as the user is in the list, it can be tried again.
            await self._log_writer.erase(user_id)
        except OSError:
            raise ConflictError(
                _("The file of the wire log cannot be changed, so the user is disabled and not deleted. Try again.")
            ) from None
        for token in await self._store.of(user_id).tokens.all():
            # Other people must not be left with questions whose answers no program fetches.
            await self._program_requests.revoked(asker_id_of(token.id))
        await self._store.users.erase(user_id)

    async def revoke_token(self, user_id: str, token_id: str) -> ProgramToken:
        """Revoke a token of a user; questions of its program that wait are withdrawn. Raises NotFoundError."""
        token = await self._store.of(user_id).tokens.revoke(token_id)
        await self._program_requests.revoked(asker_id_of(token.id))
        return token

    async def end_sign_ins(self, user_id: str, ids: Collection[str]) -> int:
        """End sign-ins of a user, and the streams that came by them; return how many there were."""
        return await self._store.open_sessions.end(user_id, ids)

    async def end_all_sign_ins(self, user_id: str, own: str | None = None) -> int:
        """End all sign-ins of a user but the session `own`; return how many there were."""
        found = await self._store.open_sessions.of(user_id, own)
        return await self.end_sign_ins(user_id, [each.id for each in found if not each.is_own])

    async def run(self) -> None:
        """Look for ever."""
        try:
            while True:
                try:
                    await self.look()
                except StorageError as error:
                    logger.warning("Changes of users by commands cannot be read for now: %s", error.for_operator)
                await asyncio.sleep(self.pause)
        finally:
            for work in tuple(self._work.values()):
                work.stop()

    async def look(self) -> None:
        """Begin to finish the work of commands: users disabled, enabled, or to be deleted. Raises StorageError."""
        changed = await self._store.users.look()
        for user_id in changed.disabled:
            self._begin(user_id, self._leave)
        for user_id in changed.enabled:
            self._notices.look(user_id)
        for user_id in changed.erasing:
            self._begin(user_id, self._erase_for_command)

    async def follow_deletions(self) -> None:
        """Begin to erase who was deleted in another process from the wire log."""
        background.start(self._erase_from_log(), name="deleted users")

    async def _erase_from_log(self) -> None:
        """Erase who was deleted in another process from the wire log, after their connections ended."""
        await asyncio.gather(*(work.ended() for work in self._work.values()))
        try:
            await self._log_writer.erase_deleted(self._store.users.ids)
        except (OSError, StorageError) as error:
            logger.warning("The wire log may still have lines of deleted users: %s", error)

    def _begin(self, user_id: str, work: Callable[[str], Coroutine[Any, Any, None]]) -> None:
        # On its own: a server that closes slowly must not delay the next look. A deletion that has to wait for other
        # work on the same user is in that look as well.
        if user_id not in self._work:
            task = self._work[user_id] = CancellableTask(work(user_id), name="change of a user", of=user_id)
            task.when_ended(lambda: self._work.pop(user_id))

    async def _leave(self, user_id: str) -> None:
        try:
            await self._presence.leave(user_id, Reason(ReasonCode.USER_DISABLED))
        except StorageError as error:
            logger.warning("Connections of a disabled user stay open until they are idle: %s", error.for_operator)

    async def _erase_for_command(self, user_id: str) -> None:
        try:
            with acting(COMMAND_LINE):
                await self.erase(user_id)
        except WebclientError as error:
            if user_id not in self._failed:
                logger.warning("A user is disabled, and cannot be deleted for now: %s", error.for_operator)
            # Once: it is tried again at each look.
            self._failed.add(user_id)


def is_fixed(user: User, acting_user_id: str) -> bool:
    """Return whether someone may neither disable nor delete a user: themselves, and the user of the token."""
    return user.id in (LOCAL_USER, acting_user_id)
