"""The webhook that tells a program how its question ended: where it goes, and how far it came."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from webclient.domain.model.common import Json


class WebhookState(StrEnum):
    """`waiting` for the person, `sending` until the receiver took it, then `delivered` or `failed`."""

    WAITING = "waiting"
    SENDING = "sending"
    DELIVERED = "delivered"
    FAILED = "failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerWebhook:
    """The webhook of one request, which is sent once the request is settled.

    `secrets` has its address and the secret that signs it, until it has ended. It failed `failures` times, for the last
    reason `failure`; it is sent at `next_at`.
    """

    request_id: str
    user_id: str
    failures: int = 0
    failure: str = ""
    next_at: datetime | None = None
    ended_at: datetime | None = None
    secrets: Json = field(repr=False)

    @property
    def state(self) -> WebhookState:
        """How far it came."""
        if self.ended_at is not None:
            return WebhookState.FAILED if self.failure else WebhookState.DELIVERED
        return WebhookState.WAITING if self.next_at is None else WebhookState.SENDING
