"""Sends notices from the store, tries again those that failed, and gives up targets that take nothing for days."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, timedelta

from webclient.domain.model import Notice, NoticeTarget, TargetKind, now
from webclient.network import Posted
from webclient.network.webhooks import GIVE_UP, Outbox, pause_after
from webclient.notifications.channels import Channel
from webclient.notifications.content import content_of
from webclient.store import Store, UserStore

logger = logging.getLogger(__name__)


class NoticeOutbox:
    """The notices on their way."""

    def __init__(self, store: Store, channels: Mapping[TargetKind, Channel]) -> None:
        self._store = store
        self._channels = channels
        self._outbox = Outbox[Notice](store.system.notices, lambda notice: notice.target_id, self._send)
        self.run, self.wake = self._outbox.run, self._outbox.wake

    async def _send(self, notice: Notice) -> None:
        store = self._store.of(notice.user_id)
        targets = {each.id: each for each in await store.notices.targets()}
        target, settings = targets.get(notice.target_id), await store.notices.settings()
        waiting = [each for each in await store.notices.waiting() if each.is_noticed]
        if target is None or settings is None or not waiting or target.disabled_at or not target.secrets:
            # The questions were answered meanwhile, or the target was removed.
            await store.notices.remove(notice)
        elif settings.quiet and (later := settings.quiet.end_of(now())):
            await store.notices.postpone(replace(notice, next_at=later))
        else:
            content = content_of(waiting, settings.last_id)
            posted = await self._channels[target.kind].send(notice.id, content, target, settings)
            await note(store, notice, target, posted, now())


async def note(store: UserStore, notice: Notice, target: NoticeTarget, posted: Posted, at: datetime) -> None:
    """Write what became of a notice: arrived, to be tried again, or its target is gone."""
    if posted.is_success:
        await store.notices.delivered(notice)
    elif posted.is_gone and target.kind is TargetKind.PUSH:
        # The browser is not subscribed any more, and never comes back under this address.
        await store.notices.remove_target(target.id)
    else:
        await _note_failure(store, notice, target, posted, at)


async def _note_failure(store: UserStore, notice: Notice, target: NoticeTarget, posted: Posted, at: datetime) -> None:
    pause = pause_after(notice.failures + 1, posted.retry_after)
    is_over = posted.is_gone or at - (target.failing_since or at) >= GIVE_UP
    again = replace(notice, failures=notice.failures + 1, next_at=at + (pause or timedelta(0)))
    await store.notices.failed(again, posted.why, at=at, give_up=is_over)
    if is_over:
        # Neither the address nor the name: both may tell who the person is.
        logger.warning("A target of notices is given up: %s", posted.why)
    elif pause is None:
        await store.notices.remove(notice)
