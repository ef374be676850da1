"""The ways in which a notice reaches a person; each sends one notice to one target."""

from __future__ import annotations

from typing import Protocol

from webclient.model import Json, NoticeSettings, NoticeTarget, now
from webclient.notices.content import Content, link_to
from webclient.outbound import Posted
from webclient.settings import Settings
from webclient.webhooks import Webhook, Webhooks


class Channel(Protocol):
    """One way; a notice that is sent again has the same id."""

    async def send(
        self, notice_id: str, content: Content, target: NoticeTarget, notice_settings: NoticeSettings
    ) -> Posted:
        """Send a notice; what goes wrong is returned, not raised."""
        ...

    async def close(self) -> None:
        """Close all connections."""
        ...


class WebhookChannel:
    """Posts notices to a program, signed with the secret of its target."""

    def __init__(self, settings: Settings, webhooks: Webhooks) -> None:
        self._settings = settings
        self._webhooks = webhooks

    async def send(
        self,
        notice_id: str,
        content: Content,
        target: NoticeTarget,
        notice_settings: NoticeSettings,  # noqa: ARG002  (other channels need it)
    ) -> Posted:
        """Send a notice as `questions.waiting`, or a test as `notice.test`."""
        data: Json = {"url": link_to(self._settings, content.path)}
        if content.request_id:
            data |= {"count": content.count, "asked_by": list(content.asked_by), "request_id": content.request_id}
        kind = "questions.waiting" if content.request_id else "notice.test"
        body = {"type": kind, "timestamp": now().isoformat(), "data": data}
        webhook = Webhook(url=str(target.secrets["url"]), secret=str(target.secrets["secret"]))
        return await self._webhooks.send(webhook, notice_id, body)

    async def close(self) -> None:
        """Close all connections."""
        await self._webhooks.close()
