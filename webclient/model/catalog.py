"""The catalog of a server: its tools, prompts, resources and resource templates, verbatim."""

from __future__ import annotations

from dataclasses import dataclass, field

from webclient.model.common import Json


@dataclass(frozen=True, slots=True, kw_only=True)
class Catalog:
    """The lists of one server, as it sent them.

    `notes` are sentences on what is missing in them. `ttl` is for how many seconds the server says that they may be
    kept: None if it says nothing.
    """

    tools: list[Json] = field(default_factory=list)
    prompts: list[Json] = field(default_factory=list)
    resources: list[Json] = field(default_factory=list)
    resource_templates: list[Json] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    ttl: float | None = None

    def tool(self, name: str) -> Json | None:
        """Return the tool of that name."""
        return next((tool for tool in self.tools if tool.get("name") == name), None)
