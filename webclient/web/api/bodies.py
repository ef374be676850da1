"""The request bodies of the API but those for servers, checked before anything else happens."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, JsonValue, StrictBool, model_validator

from webclient.auth import Scope
from webclient.content.forms import has_shapes
from webclient.domain.approvals import Verb
from webclient.domain.model import (
    EVERYONE,
    Action,
    CallKind,
    Era,
    is_user_header,
)
from webclient.inbox import LONGEST_DEADLINE, LONGEST_MESSAGE
from webclient.network import NotHttpsError, check_url
from webclient.network.webhooks import Webhook, is_secret


def _sendable(value: dict[str, Any]) -> dict[str, Any]:
    """Refuse NaN, infinities and lone surrogates, which Python's parser accepts and JSON does not."""
    try:
        json.dumps(value, allow_nan=False, ensure_ascii=False).encode()
    except (ValueError, RecursionError) as error:
        raise ValueError("must be JSON that can be sent: no NaN, no Infinity, no half of a surrogate pair") from error
    return value


def _encodable(text: str) -> str:
    if not text.isascii() and any("\ud800" <= each <= "\udfff" for each in text):
        raise ValueError("must have no half of a surrogate pair")
    return text


Id = Annotated[str, AfterValidator(_encodable)]
"""Text by which rows are looked for, which the database must be able to read."""


JsonObject = Annotated[dict[str, JsonValue], AfterValidator(_sendable)]


class Body(BaseModel):
    """A request body: an unknown key is refused, because it may be a mistyped one."""

    model_config = ConfigDict(extra="forbid")


class CallBody(Body):
    """A call to start: the `name` of a tool or prompt, or the `uri` of a resource."""

    server_id: Id = Field(description="The id of the server, or its name in the config file.")
    kind: CallKind
    name: str | None = Field(None, min_length=1)
    uri: str | None = Field(None, min_length=1)
    arguments: JsonObject | None = None
    task: StrictBool = Field(
        False,
        description="Run the tool as a task, which goes on without a connection; refused with 409 if the tool must "
        "not. A tool that must runs as a task in any case, and a server of 2026-07-28 decides by itself.",
    )

    @model_validator(mode="after")
    def _complete(self) -> Self:
        wanted, other = ("uri", "name") if self.kind is CallKind.RESOURCE else ("name", "uri")
        if getattr(self, wanted) is None or getattr(self, other) is not None:
            raise ValueError(f"a call of kind {self.kind} needs {wanted!r}, and no {other!r}")
        if self.kind is CallKind.PROMPT and not all(isinstance(v, str) for v in (self.arguments or {}).values()):
            raise ValueError("the arguments of a prompt must be strings")
        if self.task and self.kind is not CallKind.TOOL:
            raise ValueError("only a tool can run as a task")
        return self

    @property
    def subject(self) -> str:
        """The name of the tool or prompt, or the URI of the resource."""
        return self.uri or self.name or ""


class RetryBody(Body):
    """Options of a retry."""

    era: Era | None = Field(
        None,
        description="Reconnect the server in this era first (see `reconnect_with`); it is remembered.",
    )


class AnswerBody(Body):
    """An answer. Without `content`, an accepted form is sent as prefilled."""

    action: Action
    content: JsonObject | None = Field(
        None, description="Of an approval: `{arguments}` if they were edited, or `{respond: text}`."
    )
    digest: str | None = Field(
        None,
        max_length=200,
        description="Of an approval, as it was shown; 409 if it is another one now.",
    )
    message: str | None = Field(
        None,
        description=f"The message of a decline, {LONGEST_MESSAGE} characters at most. The program that asked gets it; "
        "an MCP server does not, because MCP has no place for it.",
    )


class SamplingPatch(Body):
    """Changes of a sampling request before it is answered; omitted keys stay as they are."""

    params: JsonObject | None = Field(None, description="All parameters for the model; null: as the server sent them.")
    result: JsonObject | None = Field(None, description="The message under review, as MCP has it.")


class GenerateBody(Body):
    """Options of sending a request to a model."""

    model: str = Field("", max_length=200, description="The id of a model; by default the one that fits best.")
    extend: StrictBool = Field(False, description="Go on beyond the limit of turns of the conversation.")
    approve_turns: int = Field(
        0, ge=0, le=100, description="Further turns that may go to the model by themselves, with the same tools."
    )


def _user_header(name: str) -> str:
    if not is_user_header(name):
        raise ValueError("no header that may name a user")
    return name


class TokenBody(Body):
    """A token for a program."""

    label: str = Field(min_length=1, max_length=200, description="The program, as its questions name it.")
    scopes: list[Scope] = Field(min_length=1, max_length=len(Scope))
    user_id: str | None = Field(
        None, description="The user for whom the program acts; by default the one who makes it."
    )
    may_ask: Literal["everyone"] | list[Annotated[str, Field(min_length=1, max_length=255)]] | None = Field(
        None,
        max_length=1000,
        description="The ids of other users whom the program may ask, or `everyone`; only administrators set it.",
    )
    servers: list[Annotated[str, Field(min_length=1, max_length=32)]] = Field(
        [], max_length=1000, description="The ids of the servers that it reaches through the gateway; all if empty."
    )
    patience: float | None = Field(
        None, ge=1, le=86_400, allow_inf_nan=False, description="The seconds for which the agent waits for a result."
    )
    pass_on: bool = Field(
        False,
        description="Whether what servers ask during its calls is passed on to the agent, if it can answer.",
    )
    trust_user_header: Annotated[str, AfterValidator(_user_header)] | None = Field(
        None,
        description="The header that names the user for whom each request to the gateway is; only administrators set "
        "it, with the scope `gateway` alone, and for all servers of that user.",
    )

    @model_validator(mode="after")
    def _is_for_the_gateway_alone(self) -> Self:
        if self.trust_user_header and (set(self.scopes) != {Scope.GATEWAY} or self.servers or self.may_ask):
            raise ValueError("with trust_user_header, the only scope is gateway, without servers and may_ask")
        return self

    @property
    def other_users(self) -> tuple[str, ...]:
        """The other users as a token has them."""
        return (EVERYONE,) if self.may_ask == "everyone" else tuple(self.may_ask or ())


class CallContextBody(Body):
    """The call during which a program asks, as it tells."""

    name: str = Field(min_length=1, max_length=200)
    arguments: JsonObject | None = None


Email = Annotated[Id, Field(max_length=200, pattern="^[^@\\s]+@[^@\\s]+$")]


class UserBody(Body):
    """A user by the name that their way of signing in has for them, such as `host:chat` and `ada`.

    In place of the `subject`, the `email` address that the issuer has verified.
    """

    issuer: Id = Field(min_length=1, max_length=255)
    subject: Id | None = Field(None, min_length=1, max_length=255)
    email: Email | None = None

    @model_validator(mode="after")
    def _named(self) -> Self:
        if (self.subject is None) == (self.email is None):
            raise ValueError("name the user by 'subject' or by 'email'")
        return self


class NewUserBody(Body):
    """A user who has not signed in yet: known by the `subject` or by the `email` address at the `issuer`."""

    issuer: Id | None = Field(
        None,
        min_length=1,
        max_length=255,
        description="`proxy`, the URL of the OpenID provider, or `host:` and the name of an embedding application; "
        "needed only where users of several issuers sign in.",
    )
    subject: Id | None = Field(None, min_length=1, max_length=255)
    email: Email | None = None
    name: Id = Field("", max_length=200, description="The name that is shown until the first sign-in.")

    @model_validator(mode="after")
    def _named(self) -> Self:
        if (self.subject is None) == (self.email is None):
            raise ValueError("name the user by 'subject' or by 'email'")
        if not all(each.isprintable() for each in (self.issuer or "", self.subject or "", self.email or "", self.name)):
            raise ValueError("must have printable characters only")
        return self


class WebhookBody(Body):
    """Where the end of a question is sent, signed with a secret that the program has made (Standard Webhooks)."""

    url: str = Field(
        max_length=2000, description="Begins with https://; one in a private network must be permitted by the operator."
    )
    secret: str = Field(max_length=100, description="`whsec_` and the base64 of 24 to 64 random bytes; it signs.")

    @model_validator(mode="after")
    def _usable(self) -> Self:
        try:
            check_url(self.url)
        except NotHttpsError as error:
            raise ValueError("'url' must begin with https://, and have no login in it") from error
        if not is_secret(self.secret):
            raise ValueError("'secret' must be whsec_ and the base64 of 24 to 64 bytes")
        return self

    @property
    def as_webhook(self) -> Webhook:
        """The webhook, checked."""
        return Webhook(url=self.url, secret=self.secret)


class ProposedToolBody(Body):
    """The tool that an agent wants to run, with the keys of MCP."""

    name: str = Field(min_length=1, max_length=256)
    title: str | None = Field(None, max_length=1000)
    description: str | None = Field(None, max_length=100_000)
    inputSchema: JsonObject | None = None  # noqa: N815  (MCP's key)
    annotations: JsonObject | None = None


class AskBody(Body):
    """A question of a program, with the keys of `elicitation/create` and of `Tool` where MCP has them."""

    kind: Literal["form", "url", "approval"]
    message: str = Field("", description="Needed for a form and a url; for an approval, why the agent wants it.")
    requestedSchema: JsonObject | None = Field(None, description="For a form, as in MCP.")  # noqa: N815  (MCP's key)
    url: str | None = Field(None, min_length=1, max_length=8192)
    elicitationId: str | None = Field(None, max_length=200)  # noqa: N815  (MCP's key)
    tool: ProposedToolBody | None = Field(None, description="For an approval: the tool that would run.")
    arguments: JsonObject | None = Field(None, description="For an approval: the arguments of the call.")
    allow: list[Verb] | None = Field(
        None, min_length=1, description="For an approval: the decisions that the program can honour; all by default."
    )
    user_id: Id | None = Field(None, description="The user to ask; by default the one of the token.")
    user: UserBody | None = Field(None, description="The user to ask, instead of `user_id`.")
    label: str | None = Field(None, max_length=200, description="What the program says of itself, such as its server.")
    call: CallContextBody | None = None
    expires_in: float = Field(
        86_400,
        ge=1,
        le=LONGEST_DEADLINE.total_seconds(),
        allow_inf_nan=False,
        description="Seconds for which the program waits; the person can extend them.",
    )
    webhook: WebhookBody | None = Field(None, description="Gets the end of the question, and the answer.")

    @model_validator(mode="after")
    def _complete(self) -> Self:
        if (self.requestedSchema is not None) != (self.kind == "form") or (self.url is not None) != (
            self.kind == "url"
        ):
            raise ValueError("a form needs 'requestedSchema' and no 'url', and a url the reverse")
        if (self.tool is not None) != (self.kind == "approval") or (self.arguments is not None) != (
            self.kind == "approval"
        ):
            raise ValueError("an approval needs 'tool' and 'arguments', and nothing else takes them")
        if self.allow is not None and self.kind != "approval":
            raise ValueError("only an approval takes 'allow'")
        if not self.message and self.kind != "approval":
            raise ValueError("'message' is missing")
        if self.user_id is not None and self.user is not None:
            raise ValueError("name the user by 'user_id' or by 'user'")
        if self.requestedSchema is not None and not (
            isinstance(self.requestedSchema.get("properties"), dict) or has_shapes(self.requestedSchema)
        ):
            raise ValueError("'requestedSchema' must be an object schema with 'properties', or a choice of such")
        return self

    @property
    def params(self) -> dict[str, Any]:
        """The parameters as MCP has them."""
        if self.tool is not None:
            return self._approval(self.tool)
        given = {"requestedSchema": self.requestedSchema, "url": self.url, "elicitationId": self.elicitationId}
        wanted = {name: value for name, value in given.items() if value is not None}
        return {"mode": self.kind, "message": self.message, **wanted}

    def _approval(self, tool: ProposedToolBody) -> dict[str, Any]:
        also = {"message": self.message or None, "allow": [verb.value for verb in self.allow] if self.allow else None}
        proposed = {"tool": tool.model_dump(exclude_none=True), "arguments": dict(self.arguments or {})}
        return proposed | {name: value for name, value in also.items() if value is not None}

    @property
    def expires_after(self) -> timedelta:
        """How long the program waits."""
        return timedelta(seconds=self.expires_in)


class WithdrawBody(Body):
    """Why a program no longer waits."""

    reason: str | None = Field(None, max_length=1000)
