"""The request bodies of the API, checked before anything else happens."""

from __future__ import annotations

import json
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, JsonValue, StrictBool, model_validator

from webclient.model import Action, CallKind, Era, Mode


def _sendable(value: dict[str, Any]) -> dict[str, Any]:
    """Refuse NaN, infinities and lone surrogates, which Python's parser accepts and JSON does not."""
    try:
        json.dumps(value, allow_nan=False, ensure_ascii=False).encode()
    except (ValueError, RecursionError) as error:
        raise ValueError("must be JSON that can be sent: no NaN, no Infinity, no half of a surrogate pair") from error
    return value


JsonObject = Annotated[dict[str, JsonValue], AfterValidator(_sendable)]


class _Body(BaseModel):
    model_config = ConfigDict(extra="forbid")


Modes = Annotated[
    tuple[Mode, ...],
    AfterValidator(lambda modes: tuple(mode for mode in Mode if mode in modes)),
    Field(description="The allowed modes of elicitation; others are refused."),
]


class TransportBody(_Body):
    """The transport of a server. `stdio` is refused with 403, because it would run a command."""

    model_config = ConfigDict(extra="ignore")

    type: Literal["http", "sse", "auto", "stdio"] = Field(description="`auto` detects whether it is http or sse.")
    url: str = Field("", max_length=4096, description="Starts with http:// or https://; required for `http` and `sse`.")
    headers: dict[str, str] = {}

    def as_transport(self) -> dict[str, Any]:
        """Return the transport as in `model.Server`."""
        chosen = {"type": "http", "detect": True} if self.type == "auto" else {"type": self.type}
        return {**chosen, "url": self.url, "headers": self.headers}


class ServerBody(_Body):
    """A server to add."""

    label: str = Field(min_length=1, max_length=200)
    transport: TransportBody
    era: Era = Era.AUTO
    modes: Modes = tuple(Mode)
    muted: StrictBool = Field(False, description="Cancel all questions from this server automatically.")
    oauth: JsonObject | None = Field(None, description="Sign-in to protected servers; not used yet.")


class ServerPatch(_Body):
    """Changes of a server; omitted keys stay as they are."""

    label: str | None = Field(None, min_length=1, max_length=200)
    era: Era | None = None
    modes: Modes | None = None
    muted: StrictBool | None = Field(None, description="Muting cancels all waiting and all later questions.")


class CallBody(_Body):
    """A call to start: the `name` of a tool or prompt, or the `uri` of a resource."""

    server_id: str
    kind: CallKind
    name: str | None = Field(None, min_length=1)
    uri: str | None = Field(None, min_length=1)
    arguments: JsonObject | None = None

    @model_validator(mode="after")
    def _complete(self) -> Self:
        wanted, other = ("uri", "name") if self.kind is CallKind.RESOURCE else ("name", "uri")
        if getattr(self, wanted) is None or getattr(self, other) is not None:
            raise ValueError(f"a call of kind {self.kind} needs {wanted!r}, and no {other!r}")
        if self.kind is CallKind.PROMPT and not all(isinstance(v, str) for v in (self.arguments or {}).values()):
            raise ValueError("the arguments of a prompt must be strings")
        return self

    @property
    def subject(self) -> str:
        """The name of the tool or prompt, or the URI of the resource."""
        return self.uri or self.name or ""


class RetryBody(_Body):
    """Options of a retry."""

    era: Era | None = Field(
        None,
        description="Reconnect the server in this era first (see `reconnect_with`); it is remembered.",
    )


class AnswerBody(_Body):
    """An answer. Without `content`, an accepted form is sent as prefilled."""

    action: Action
    content: JsonObject | None = None
