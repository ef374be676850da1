"""The notices of all users: looks when one is due, asks the open pages, and hands it to the outbox."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from datetime import datetime, timedelta

import anyio

from webclient.domain.model import DueNotice, NoticeSettings, NoticeTarget, TargetKind, new_id, now
from webclient.network import Posted, Poster, networks_of
from webclient.network.webhooks import Webhooks, until
from webclient.notifications import schedule
from webclient.notifications.channels import Channel, PushChannel, WebhookChannel
from webclient.notifications.content import Content
from webclient.notifications.outbox import NoticeOutbox
from webclient.notifications.schedule import due_at, is_heeded
from webclient.notifications.visibility import Visibility
from webclient.settings import Settings
from webclient.store import StorageError, Store
from webclient.store.live import Event, Gap, Hub

logger = logging.getLogger(__name__)

MOST_TARGETS = 20
"""Browsers and programs that get the notices of one user."""

TOGETHER = timedelta(seconds=1)
"""Events of a user within so long are looked at together."""

AT_ONCE = 50
"""Users whose open pages are asked at the same time."""

_ABOUT = ("request", "server")
"""The events that may be of a question, or of a sign-in that a server wants."""


class Notices:
    """Makes and sends the notices of all users; call `close` at the end."""

    def __init__(self, store: Store, hub: Hub, settings: Settings) -> None:
        self._store = store
        self._sign_in_period = settings.sign_in_period
        self._visibility = Visibility(hub)
        networks = networks_of(settings.webhook_networks)
        self._channels: Mapping[TargetKind, Channel] = {
            TargetKind.WEBHOOK: WebhookChannel(settings, Webhooks(networks, settings.ca_file)),
            TargetKind.PUSH: PushChannel(settings, Poster(networks, settings.ca_file)),
        }
        self._outbox = NoticeOutbox(store, self._channels)
        self._users: set[str] = set()
        self._looks: dict[str, datetime] = {}
        self._seen: dict[str, datetime] = {}
        self._changed = asyncio.Event()
        hub.listen(self._heard)

    def page_is_visible(self, user_id: str) -> None:
        """Note that a page of the user, which was asked, is visible."""
        self._visibility.answer(user_id)

    def look(self, user_id: str) -> None:
        """Look again at what waits for the user: their settings or targets have changed."""
        self._users.add(user_id)
        self._look_at(user_id, now())
        self._outbox.wake()

    async def send_test(self, notice_settings: NoticeSettings, target: NoticeTarget) -> Posted:
        """Send a test to a target at once, and return the response; quiet hours do not count.

        One that arrives turns its target on again, if it was given up.
        """
        posted = await self._channels[target.kind].send(new_id(), Content(), target, notice_settings)
        rows = self._store.of(target.user_id).notices
        if posted.is_success:
            await rows.enable_target(target.id)
            self.look(target.user_id)
        elif posted.is_gone and target.kind is TargetKind.PUSH:
            await rows.remove_target(target.id)
        return posted

    async def run(self) -> None:
        """Make notices when they are due, and send them, until cancelled."""
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._outbox.run)
            await self._read_users()
            while True:
                self._changed.clear()
                await self._look_at_due()
                await until(min(self._looks.values(), default=None), self._changed)

    async def _read_users(self) -> None:
        while True:
            try:
                for user_id in await self._store.system.notices.users():
                    self.look(user_id)
            except StorageError as error:
                logger.warning("Notices cannot be read; they are read again soon: %s", error)
                await asyncio.sleep(schedule.PAUSE.total_seconds())
            else:
                return

    async def _look_at_due(self) -> None:
        at = now()
        due = [user_id for user_id, moment in self._looks.items() if moment <= at][:AT_ONCE]
        async with anyio.create_task_group() as tasks:
            for user_id in due:
                del self._looks[user_id]
                tasks.start_soon(self._look, user_id)

    async def close(self) -> None:
        """Close all connections."""
        for channel in self._channels.values():
            await channel.close()

    def _heard(self, user_id: str | None, event: Event | Gap) -> None:
        # Most users have no targets, so that this is all that an event costs them.
        if user_id is None:
            for each in self._users:
                self._look_at(each, now())
        elif user_id in self._users and isinstance(event, Event) and event.kind in _ABOUT:
            # Many events together need one look.
            self._look_at(user_id, now() + TOGETHER if user_id in self._looks else now())

    def _look_at(self, user_id: str, moment: datetime) -> None:
        before = self._looks.get(user_id)
        if before is None or moment < before:
            self._looks[user_id] = moment
            self._changed.set()

    async def _has_lapsed(self, user_id: str) -> bool:
        user = await self._store.users.get(user_id) if self._sign_in_period else None
        lapses_at = user.lapses_at(self._sign_in_period) if user else None
        return lapses_at is not None and lapses_at <= now()

    async def _look(self, user_id: str) -> None:
        try:
            await self._make(user_id)
        except Exception:
            logger.exception("Notices could not be made; they are made again soon")
            self._look_at(user_id, now() + schedule.PAUSE)

    async def _make(self, user_id: str) -> None:
        """Make the notice of a user that is due; if none is, set when to look again.

        A user who is disabled, or who has not signed in for too long, gets none.
        """
        if self._store.users.is_disabled(user_id) or await self._has_lapsed(user_id):
            return
        rows = self._store.of(user_id).notices
        settings, waiting = await rows.settings(), await rows.waiting()
        due = due_at(settings, waiting, at := now(), self._seen.get(user_id)) if settings else None
        if settings is None or due is None:
            return
        if due > at:
            self._look_at(user_id, due)
            return
        if await self._visibility.is_visible(user_id):
            # They see the question. If they leave without an answer, it still waits for them.
            self._seen[user_id] = now()
            self._look_at(user_id, self._seen[user_id])
            return
        fresh = tuple(each.id for each in waiting if not each.is_noticed)
        unheeded = 1 if is_heeded(settings, waiting) else settings.unheeded + 1
        sign_ins = tuple(each.id for each in waiting if each.is_sign_in)
        notice = DueNotice(user_id=user_id, request_ids=fresh, sign_in_ids=sign_ins, at=now(), unheeded=unheeded)
        made = await rows.enqueue(notice)
        if made:
            self._outbox.wake()
        else:
            self._users.discard(user_id)
