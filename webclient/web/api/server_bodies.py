"""The request bodies of the API for servers: what to add or change, and a task to take up."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, ConfigDict, Field, StrictBool

from webclient.domain.model import Era, Extension, LogLevel, Mode, Root, SamplingRule
from webclient.servers.connections import LONGEST_URI, MOST_FOLLOWED
from webclient.web.api.bodies import Body, JsonObject

Modes = Annotated[
    tuple[Mode, ...],
    AfterValidator(lambda modes: tuple(mode for mode in Mode if mode in modes)),
    Field(description="What the server may ask for: the modes of elicitation, and sampling; all else is refused."),
]


Extensions = Annotated[
    tuple[Extension, ...],
    Field(
        description="All extensions of the protocol that may be announced to the server; the others are switched off."
    ),
]


OAuth = Annotated[
    JsonObject,
    Field(
        description="All settings of the sign-in to a protected server; in a change they replace the stored ones. None "
        "is required: `client_id`, `client_secret`, `issuer`, `scope`, `client_metadata_url`, `grant` "
        "(`client_credentials` or `jwt_bearer`), `assertion`, `private_key`, `signing_algorithm`, `exceptions` (of "
        "`pkce_unannounced`, `other_issuer`, `no_resource`), `idp_client_id`, `idp_client_secret`, `idp_id_token`, "
        "`idp_issuer`, `idp_token_endpoint`. Secrets are never returned."
    ),
]


Followed = Annotated[
    tuple[Annotated[str, Field(min_length=1, max_length=LONGEST_URI)], ...],
    AfterValidator(lambda uris: tuple(dict.fromkeys(uris))),
    Field(max_length=MOST_FOLLOWED, description="URIs of all resources whose changes the server is asked to report."),
]


class RootBody(Body):
    """A folder that a server gets when it asks for its roots."""

    uri: str = Field(min_length=1, max_length=4096, description="A `file://` URI, or an absolute path.")
    name: str | None = Field(None, max_length=200)

    @property
    def as_root(self) -> Root:
        """The root, not checked yet."""
        return Root(uri=self.uri, name=self.name)


Roots = Annotated[
    list[RootBody],
    Field(
        max_length=50,
        description="The folders that the server gets when it asks (`roots/list`); null: it cannot ask. Refused with "
        "403 for a stdio server, whose folders are in the config file.",
    ),
]


class SamplingRuleBody(Body):
    """Changes of the rule for sampling; omitted keys stay as they are, and null removes a limit."""

    approve: StrictBool = Field(False, description="Send its requests to the model without showing them first.")
    unseen: StrictBool = Field(False, description="Send the messages to the server without showing them; with approve.")
    turns: int = Field(25, ge=1, le=1000, description="Limit of turns in a conversation.")
    requests: int | None = Field(200, ge=0, description="Most requests to a model on one day in UTC.")
    tokens: int | None = Field(500_000, ge=0, description="Most tokens on one day in UTC.")
    cost: float | None = Field(None, ge=0, allow_inf_nan=False, description="Most cost on one day in UTC.")
    model: str = Field("", max_length=200, description="The id of the model to use; by default the best fitting one.")

    def as_rule(self, before: SamplingRule) -> SamplingRule:
        """Return the changed rule."""
        return replace(before, **self.model_dump(include=self.model_fields_set))


class TransportBody(Body):
    """The transport of a server. `stdio` is refused with 403, because it would run a command."""

    model_config = ConfigDict(extra="ignore")

    type: Literal["http", "sse", "auto", "stdio"] = Field(description="`auto` detects whether it is http or sse.")
    url: str = Field("", max_length=4096, description="Starts with http:// or https://; required for `http` and `sse`.")
    headers: dict[str, str] = Field({})

    def as_transport(self) -> dict[str, Any]:
        """Return the transport as in `model.Server`."""
        chosen = {"type": "http", "detect": True} if self.type == "auto" else {"type": self.type}
        return {**chosen, "url": self.url, "headers": self.headers}


class ServerBody(Body):
    """A server to add."""

    label: str = Field(min_length=1, max_length=200)
    transport: TransportBody
    era: Era = Era.AUTO
    modes: Modes = tuple(Mode)
    roots: Roots | None = None
    muted: StrictBool = Field(False, description="Cancel all questions from this server automatically.")
    oauth: OAuth | None = None


class ServerPatch(Body):
    """Changes of a server; omitted keys stay as they are."""

    label: str | None = Field(None, min_length=1, max_length=200)
    era: Era | None = None
    modes: Modes | None = None
    extensions: Extensions | None = None
    log_level: LogLevel | None = Field(None, description="The level from which it is asked for log messages.")
    followed: Followed | None = None
    roots: Roots | None = None
    muted: StrictBool | None = Field(None, description="Muting cancels all waiting and all later questions.")
    headers: dict[str, str] | None = Field(
        None, description="All headers of an added http or sse server; it is reconnected, which ends open work."
    )
    oauth: OAuth | None = None
    sampling: SamplingRuleBody | None = None


class TaskBody(Body):
    """A task of a server, which another program may have started."""

    task_id: str = Field(min_length=1, max_length=1000)
