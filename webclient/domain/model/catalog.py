"""The catalog of a server: its tools, prompts, resources and resource templates, verbatim."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from webclient.domain.model.common import Json
from webclient.domain.model.reason import Reason


@dataclass(frozen=True, slots=True, kw_only=True)
class Catalog:
    """The lists of one server, as it sent them.

    `notes` say what is missing in them, and which names break the rules. `ttl` is for how many seconds the server says
    that they may be kept: None if it says nothing.
    """

    tools: list[Json] = field(default_factory=list)
    prompts: list[Json] = field(default_factory=list)
    resources: list[Json] = field(default_factory=list)
    resource_templates: list[Json] = field(default_factory=list)
    notes: list[Reason] = field(default_factory=list)
    ttl: float | None = None

    def tool(self, name: str) -> Json | None:
        """Return the tool of that name."""
        return next((tool for tool in self.tools if tool.get("name") == name), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class TypedArgument:
    """An argument of a prompt, or a variable of a resource template, of which `value` is typed.

    `name` is that of the prompt, or the template's URI; `others` are the arguments that are filled in.
    """

    kind: Literal["prompt", "template"]
    name: str
    argument: str
    value: str
    others: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ArgumentValues:
    """The values that a server suggests for an argument; `has_more`: there are others."""

    values: tuple[str, ...] = ()
    has_more: bool = False


@dataclass(frozen=True, slots=True)
class ResourceUpdate:
    """The server said that a resource has changed: the one that is followed, or one below it (`uri`)."""

    at: datetime
    uri: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FollowedResource:
    """A resource that the user follows, with its newest `updates`, newest first, and the number of those `omitted`.

    `since` is when the server began to send its changes; None while it sends none, because it is disconnected or
    refuses. `error` is the server's message when it refuses.
    """

    uri: str
    since: datetime | None = None
    error: str | None = None
    updates: tuple[ResourceUpdate, ...] = ()
    omitted: int = 0
