"""The bodies that the JSON API takes (design, section 7), checked before anything is done with them."""

from __future__ import annotations

import json
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, JsonValue, StrictBool, model_validator

from webclient.model import Action, CallKind, Era, Mode


def _sendable(value: dict[str, Any]) -> dict[str, Any]:
    """Refuse what is no JSON on the wire: NaN, infinities and lone surrogates, all of which Python's parser takes."""
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
    Field(description="How the server may elicit; in any other way it is refused."),
]


class TransportBody(_Body):
    """How to reach a server. `stdio` is refused here with 403: it would run a command."""

    model_config = ConfigDict(extra="ignore")

    type: Literal["http", "sse", "auto", "stdio"] = Field(description="`auto`: find out whether it is http or sse.")
    url: str = Field("", max_length=4096, description="Begins with http:// or https://; `http` and `sse` need it.")
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
    muted: StrictBool = Field(False, description="Whether all that it asks is cancelled at once.")
    oauth: JsonObject | None = Field(None, description="For sign-in to protected servers; not used yet.")


class ServerPatch(_Body):
    """What to change of a server; what is left out stays."""

    label: str | None = Field(None, min_length=1, max_length=200)
    era: Era | None = None
    modes: Modes | None = None
    muted: StrictBool | None = Field(None, description="To mute cancels what it has asked, and all that it asks.")


class CallBody(_Body):
    """A call to start: `name` of a tool or prompt, or `uri` of a resource."""

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
    """How to start a call again."""

    era: Era | None = Field(
        None, description="Connect the server in this era first, as `reconnect_with` suggests; it is remembered."
    )


class AnswerBody(_Body):
    """An answer. Without `content`, an accepted form is sent as prefilled."""

    action: Action
    content: JsonObject | None = None
