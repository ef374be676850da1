"""The answer of the person as the inbox gives it, or why there is none."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from mcp.types import ElicitResult

REASON = "mcp-webclient/reason"
"""The key in `_meta` of a result with the sentence on why a question was not answered."""

MESSAGE = "mcp-webclient/message"
"""The key in `_meta` of a declining result with the person's message."""

ACTIONS = {"accepted": "accept", "waiting": "accept", "completed": "accept", "declined": "decline"}
"""The action of MCP by the state of the request; every other state is `cancel`."""


class InboxError(Exception):
    """The question cannot be asked: the token, its scope or the address is wrong, or the inbox lost the answer."""


class TooManyQuestionsError(InboxError):
    """The inbox takes no more questions of this program for now, and says why. No person has seen this one."""


@dataclass(frozen=True)
class Answer:
    """The person's answer: `action` and `content` as in MCP, and the `reason` if nobody answered.

    `message` is what the person declined with, "" if they wrote nothing.
    """

    action: str
    content: dict[str, Any] | None = None
    reason: str = ""
    message: str = ""

    @property
    def result(self) -> ElicitResult:
        """The answer as the SDK takes it."""
        result: ElicitResult = self.as_result(ElicitResult)
        return result

    def as_result(self, kind: Any) -> Any:
        """Return the answer as this class of results."""
        said = {name: text for name, text in ((REASON, self.reason), (MESSAGE, self.message)) if text}
        return kind.model_validate(
            {"action": self.action, "content": self.content, **({"_meta": said} if said else {})}
        )


def answer_of(request: Mapping[str, Any]) -> Answer:
    """Return the answer of a settled request. Raises InboxError if its secret values are gone."""
    action = ACTIONS.get(request["state"], "cancel")
    if action == "accept" and request.get("withheld"):
        # Never an accepted form with holes in it.
        raise InboxError("The answer was fetched before, and its secret values are not kept.")
    if action != "accept":
        return Answer(action, reason=request.get("reason", ""), message=request.get("message", ""))
    return Answer(action, dict(request["content"]) if request.get("content") is not None else None)


def checked(response: Any, *names: str) -> dict[str, Any]:
    """Return the JSON of a response, which has these keys. Raises InboxError."""
    if response.status_code >= 400:
        raise InboxError(f"The inbox answered {response.status_code}: {detail_of(response)}")
    try:
        found: dict[str, Any] = response.json()
        return {**found, **{name: found[name] for name in names or ("id", "state")}}
    except (ValueError, KeyError, TypeError) as error:
        raise InboxError("This is not the address of mcp-webclient.") from error


def said(response: Any) -> str | None:
    """Return what mcp-webclient says on why it refuses; None if something before it answered, such as a proxy."""
    try:
        return str(response.json()["detail"])
    except (ValueError, KeyError, TypeError):
        return None


def detail_of(response: Any) -> str:
    """Return why there is no better response."""
    return said(response) or f"HTTP status {response.status_code}"
