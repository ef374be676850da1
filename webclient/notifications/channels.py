"""The ways in which a notice reaches a person; each sends one notice to one target."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from http import HTTPStatus
from typing import Protocol

from webclient.domain.i18n import speaking
from webclient.domain.languages import translations
from webclient.domain.model import Json, NoticeSettings, NoticeTarget, now
from webclient.network import Fault, Posted, Poster
from webclient.network.webhooks import Webhook, Webhooks
from webclient.notifications.content import Content, link_to, sentences_of
from webclient.notifications.web_push import PushSubscription, authorization, encrypt, is_push_service
from webclient.settings import Settings
from webclient.support.standard_json import dumps

TOPIC = "questions"
"""A newer notice takes the place of an older one, at the push service and on the screen."""

LIFETIME = timedelta(hours=12)
"""A push service keeps a notice for a browser that is off for so long."""


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
            named = "sign_in_id" if content.is_sign_in else "request_id"
            counts = {"count": content.count, "sign_ins": content.sign_ins}
            data |= {**counts, "asked_by": list(content.asked_by), named: content.request_id}
        kind = "questions.waiting" if content.request_id else "notice.test"
        body = {"type": kind, "timestamp": now().isoformat(), "data": data}
        webhook = Webhook(url=str(target.secrets["url"]), secret=str(target.secrets["secret"]))
        return await self._webhooks.send(webhook, notice_id, body)

    async def close(self) -> None:
        """Close all connections."""
        await self._webhooks.close()


class PushChannel:
    """Sends notices to browsers, encrypted so that their push services learn nothing but that there is one."""

    def __init__(self, settings: Settings, poster: Poster) -> None:
        self._settings = settings
        self._poster = poster

    async def send(
        self,
        notice_id: str,  # noqa: ARG002  (a newer message takes the place of an older one, by its topic)
        content: Content,
        target: NoticeTarget,
        notice_settings: NoticeSettings,
    ) -> Posted:
        """Send a notice in the language of the browser. A push service keeps the newest one alone."""
        endpoint = str(target.secrets["endpoint"])
        if not is_push_service(endpoint, self._settings.push_services):
            return Posted(fault=Fault.FORBIDDEN_ADDRESS)
        subscription = PushSubscription.read(endpoint, target.secrets["p256dh"], target.secrets["auth"])
        with speaking(translations(target.language)):
            message = dumps({**sentences_of(content), "path": content.path, "tag": TOPIC})
        headers = {
            "authorization": authorization(endpoint, notice_settings.push_key, self._contact),
            "content-encoding": "aes128gcm",
            "content-type": "application/octet-stream",
            "topic": TOPIC,
            "ttl": str(int(LIFETIME.total_seconds())),
            "urgency": "high",
        }
        posted = await self._poster.post(endpoint, encrypt(message.encode(), subscription), headers)
        # RFC 8030, section 7.3: a subscription that has expired is not found.
        return replace(posted, status=HTTPStatus.GONE) if posted.status == HTTPStatus.NOT_FOUND else posted

    async def close(self) -> None:
        """Close all connections."""
        await self._poster.close()

    @property
    def _contact(self) -> str:
        # RFC 8292, section 2.1: some services refuse a token without one, or of this machine.
        public = self._settings.public_url or ""
        return public if public.startswith("https://") else "mailto:mcp-webclient@example.com"
