"""A proposal: what an agent wants to run, as the card of its approval shows it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from webclient.content.forms import DOTS, Texts
from webclient.content.links import Link
from webclient.content.visible_text import visible
from webclient.domain.approvals import APPROVAL, Verb, proposed
from webclient.domain.i18n import gettext as _
from webclient.domain.model import Action, InputRequest, Json, Rule
from webclient.inbox import allowed, kind_of, links_in
from webclient.web.pages.inbox.permissions import may_allow, may_repeat

ALLOW = "allow"
"""The buttons that approve a call, and make a rule that lets such calls run."""

WITH_RESPONSE = "with_response"
"""The button that sends the text of the control `respond` in the place of a tool."""

WITH_MESSAGE = "with_message"
"""The button that declines with a message."""

LONGEST_NAME = 120
"""Characters of the name of a tool that are shown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """A tool with its arguments. `title` and `description` are the server's own words, as `hints` are.

    A rule can let it run from now on: with any arguments (`may_allow`), or with these (`may_repeat`).
    `arguments` have dots for those that may be secrets; `first_texts` are those with which the card begins, if its
    fields cannot show all. `why` is what the agent says. `links` are the addresses among the arguments that are not
    what they look like.
    """

    name: str
    title: str
    description: str
    why: str
    arguments: Mapping[str, Any]
    first_texts: Texts | None
    hints: tuple[str, ...]
    verbs: frozenset[Verb]
    may_allow: bool
    may_repeat: bool
    links: Mapping[str, Link]


@dataclass(frozen=True, slots=True, kw_only=True)
class Suggestion:
    """A rule that a person may make with a click; `labels` are those of its agent and its server by id."""

    rule: Rule
    labels: Mapping[str, str]


def proposal_of(request: InputRequest) -> Proposal | None:
    """Return what an approval asks for; None for another kind of request."""
    if request.kind != APPROVAL:
        return None
    tool: Json = request.params.get("tool") or {}
    name, arguments = proposed(request)
    title = tool.get("title") or (tool.get("annotations") or {}).get("title")
    found = {each: link for each, link in links_in(arguments).items() if link.of("warn") or link.of("block")}
    return Proposal(
        name=visible(name, LONGEST_NAME),
        title=visible(title, LONGEST_NAME) if isinstance(title, str) and title != name else "",
        description=str(tool.get("description") or ""),
        arguments={**arguments, **dict.fromkeys(request.withheld, DOTS)},
        first_texts=form.first_texts if (form := kind_of(request).form(request)) else None,
        why=str(request.params.get("message") or ""),
        hints=tuple(_hints(tool.get("annotations"))),
        verbs=allowed(request),
        may_allow=may_allow(request),
        may_repeat=may_allow(request) and may_repeat(request, arguments),
        links=found,
    )


def _hints(annotations: object) -> list[str]:
    """Return what the annotations of a tool say of it (MCP, ToolAnnotations: hints, not to be trusted)."""
    if not isinstance(annotations, dict):
        return []
    reads = annotations.get("readOnlyHint") is True
    said = [
        (reads, _("Only reads")),
        (not reads and annotations.get("destructiveHint") is True, _("May delete or overwrite")),
        (not reads and annotations.get("destructiveHint") is False, _("Only adds")),
        (not reads and annotations.get("idempotentHint") is True, _("The same again changes nothing more")),
        (annotations.get("openWorldHint") is True, _("Reaches others outside")),
    ]
    return [words for holds, words in said if holds]


def action_of_button(posted: Sequence[tuple[str, str]]) -> str:
    """Return the action of a button that does more than answer; "" if another one was pressed."""
    pressed = {name for name, value in posted if value}
    if WITH_MESSAGE in pressed:
        return Action.DECLINE
    return Action.ACCEPT if pressed & {WITH_RESPONSE, ALLOW} else ""
