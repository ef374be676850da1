"""Sends the webhooks of settled questions from the store, and tries again those that failed."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from pathlib import Path

from webclient.domain.approvals import APPROVAL, decision_of
from webclient.domain.errors import TooManyError
from webclient.domain.i18n import gettext as _
from webclient.domain.model import Action, AnswerWebhook, InputRequest, Json, RequestState, now
from webclient.domain.reasons import sentence
from webclient.network import Network, Posted
from webclient.network.webhooks import Outbox, Webhook, Webhooks, pause_after
from webclient.store import Store
from webclient.store.live import Event, Gap, Hub

logger = logging.getLogger(__name__)

MOST = 1000
"""Webhooks of one user that are not finished; questions with more are refused."""

REVOKED = "revoked"
"""The failure of a webhook whose program may not know the answer any more."""

LOST_KEY = "lost_key"
"""The failure of a webhook whose address cannot be read any more."""


TYPE = "request.settled"

_ACTIONS = {
    RequestState.ACCEPTED: Action.ACCEPT,
    RequestState.WAITING: Action.ACCEPT,
    RequestState.COMPLETED: Action.ACCEPT,
    RequestState.DECLINED: Action.DECLINE,
}
"""The action of MCP by the state of a question; every other one is `cancel`."""


class TooManyWebhooksError(TooManyError):
    """Too many webhooks of the user wait, or cannot be delivered; the program that asks is slower then."""

    status = 429


class AnswerWebhooks:
    """The webhooks of all users; call `close` at the end."""

    def __init__(self, store: Store, hub: Hub, networks: Sequence[Network] = (), ca_file: Path | None = None) -> None:
        self._store = store
        self._hub = hub
        self._webhooks = Webhooks(networks, ca_file)
        self._unfinished: set[str] = set()
        # Set by the app, which reads the file of embedding applications; without one there are none.
        self.knows_embedder: Callable[[str], bool] = lambda _name: False
        self._outbox = Outbox[AnswerWebhook](
            store.system.answer_webhooks, lambda each: each.request_id, self._send, prepare=self._read_unfinished
        )
        self.run = self._outbox.run
        self.wake = self._outbox.wake
        hub.listen(self._heard)

    async def begin(self, request: InputRequest, webhook: Webhook) -> None:
        """Store the webhook of a request that is stored next. Raises TooManyWebhooksError and StorageError."""
        row = AnswerWebhook(
            request_id=request.id,
            user_id=request.user_id,
            secrets={"url": webhook.url, "secret": webhook.secret},
        )
        if not await self._store.of(request.user_id).answer_webhooks.begin(row, MOST):
            raise TooManyWebhooksError(_("There are {n} webhooks on their way, which is the limit.").format(n=MOST))
        self._unfinished.add(request.id)

    async def _read_unfinished(self) -> None:
        self._unfinished.update(await self._store.system.answer_webhooks.unfinished())

    async def close(self) -> None:
        """Close all connections."""
        await self._webhooks.close()

    def _heard(self, _user_id: str | None, event: Event | Gap) -> None:
        # Most questions have no webhook, so that this is all that an event costs them.
        if isinstance(event, Gap) or event.subject in self._unfinished:
            self._outbox.wake()

    async def _send(self, webhook: AnswerWebhook) -> None:
        store = self._store.of(webhook.user_id)
        request = await store.requests.get(webhook.request_id)
        if not webhook.secrets or not await self._may_know(request):
            await self._failed(webhook, REVOKED if webhook.secrets else LOST_KEY, None)
            return
        to = Webhook(url=str(webhook.secrets["url"]), secret=str(webhook.secrets["secret"]))
        # The same id each time, by which the receiver knows that it has the message already.
        posted = await self._webhooks.send(to, request.id, message_of(request))
        if posted.is_success:
            await store.answer_webhooks.delivered(request.id, whole=not request.withheld)
            self._ended(webhook)
        else:
            await self._failed(webhook, posted.why, _next(webhook, posted))

    async def _may_know(self, request: InputRequest) -> bool:
        """Return whether the program may still know the answer."""
        token_id, embedder = request.asked_by.token_id, request.asked_by.embedder
        if self._store.users.is_disabled(request.user_id):
            return False
        if embedder is not None and not self.knows_embedder(embedder):
            return False
        return token_id is None or await self._store.program_tokens.still_valid(token_id)

    async def _failed(self, webhook: AnswerWebhook, why: str, next_at: datetime | None) -> None:
        await self._store.of(webhook.user_id).answer_webhooks.failed(webhook.request_id, why, next_at)
        if next_at is None:
            self._ended(webhook)
            # Neither the address nor the program: both may tell what is asked.
            logger.warning("A webhook with an answer is given up: %s", why)

    def _ended(self, webhook: AnswerWebhook) -> None:
        self._unfinished.discard(webhook.request_id)
        self._hub.publish(webhook.user_id, "request", webhook.request_id)


def _next(webhook: AnswerWebhook, posted: Posted) -> datetime | None:
    """Return when to send again; None for a receiver that is gone, or that has failed too often."""
    pause: timedelta | None = None if posted.is_gone else pause_after(webhook.failures + 1, posted.retry_after)
    return None if pause is None else now() + pause


def message_of(request: InputRequest) -> Json:
    """Return the body of the webhook of a settled request; the program fetches the values that are withheld."""
    data: Json = {
        "id": request.id,
        "state": request.state,
        "action": _ACTIONS.get(request.state, Action.CANCEL),
    }
    if request.content is not None:
        # Safe for any receiver: values that may be secret, or that are not to be stored, are not in it.
        hidden = request.withheld
        shown = {name: None if name in hidden else each for name, each in request.content.items()}
        data["content"] = {"arguments": shown} if request.kind == APPROVAL else shown
    if decision := decision_of(request):
        data["decision"] = decision.as_json(request.withheld)
    if request.decline_message:
        data["message"] = request.decline_message
    if request.withheld:
        data["withheld"] = list(request.withheld)
    if request.reason:
        data["reason"] = sentence(request.reason)
        data["reason_code"] = request.reason.code
    if request.settled_at:
        data["settled_at"] = request.settled_at.isoformat()
    return {"type": TYPE, "timestamp": now().isoformat(), "data": data}
