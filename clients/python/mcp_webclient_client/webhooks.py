"""Answers that come by webhook, signed by Standard Webhooks: the extra `mcp-webclient-client[webhooks]`.

Promises: what is not signed with the secret, or not within five minutes of now, is an error and never an answer.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from standardwebhooks import Webhook, WebhookVerificationError

from mcp_webclient_client.answers import Answer, answer_of

__all__ = ["Settled", "WebhookError", "settled"]

TYPE = "request.settled"
"""The type of the only message with an answer."""


class WebhookError(Exception):
    """This is not an answer: the signature or its time is wrong, or it is another message. Respond with 400."""


@dataclass(frozen=True)
class Settled:
    """The end of the question with this `id`, which arrives again if it was not acknowledged: act on each id once.

    `answer` is what `Inbox.ask` returns. It is None if the person's answer has values that may be secret:
    `Inbox.answer(id)` brings the whole one, once.
    """

    id: str
    answer: Answer | None


def settled(body: bytes | str, headers: Mapping[str, str], secret: str) -> Settled:
    """Return the end of a question from the raw body and headers of a post.

    `secret` is that of the question, `whsec_...`. Raises WebhookError, and ValueError for a malformed secret.
    """
    webhook = Webhook(secret)
    try:
        message = webhook.verify(body, dict(headers.items()))
    # A header that cannot be read is a ValueError there.
    except (WebhookVerificationError, ValueError) as error:
        raise WebhookError(f"The webhook cannot be verified. {error}") from error
    if not isinstance(message, dict) or message.get("type") != TYPE:
        raise WebhookError("The webhook is not the end of a question.")
    data = message["data"]
    return Settled(data["id"], None if data.get("withheld") else answer_of(data))
