"""Approvals: the decisions of a person before a tool runs, and the digest to which they are bound."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from hashlib import sha256
from typing import Any

import rfc8785

from webclient.domain.errors import InvalidInputError
from webclient.domain.i18n import gettext as _
from webclient.domain.model import InputRequest, Json, ReasonCode, RequestState
from webclient.support.standard_json import digest_of_json

APPROVAL = "approval"
"""The kind of a request that asks whether a tool may run."""


_SHOWN = ("name", "title", "description", "inputSchema", "outputSchema", "annotations")


class Verb(StrEnum):
    """A decision: the tool runs as proposed, as edited, not at all, or words of the person are its result."""

    APPROVE = "approve"
    EDIT = "edit"
    REJECT = "reject"
    RESPOND = "respond"


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """The decision of a person on a call that was proposed.

    `arguments` are what may run, None if nothing may. `digest` is that of the tool with them; if nothing may run, or
    some were erased, that of what was proposed. `message` are the person's words: the reason of a rejection, or the
    result in the place of the tool. `by` is the id of the user.
    """

    verb: Verb
    arguments: Json | None
    digest: str
    message: str | None
    by: str
    at: datetime | None

    def as_json(self, hidden: Collection[str] = ()) -> Json:
        """Return it as programs get it; the arguments named in `hidden` are null."""
        given = self.arguments
        shown = None if given is None else {name: None if name in hidden else each for name, each in given.items()}
        words = {"message": self.message} if self.message else {}
        at = {"at": self.at.isoformat()} if self.at else {}
        digest = written_digest(self.digest)
        return {"verb": self.verb.value, "arguments": shown, "digest": digest, **words, "by": self.by, **at}


def digest_of(tool: str, arguments: Any) -> str:
    """Return the digest of a tool's name and its arguments: SHA-256 over RFC 8785 JSON, in hexadecimal.

    Raises InvalidInputError for a value that RFC 8785 cannot write exactly, such as an integer beyond 2**53.
    """
    try:
        written = rfc8785.dumps({"tool": tool, "arguments": arguments})
    except (rfc8785.CanonicalizationError, RecursionError, UnicodeError) as error:
        message = _("The arguments cannot be approved exactly: {error}").format(error=error)
        raise InvalidInputError(message, {"arguments": message}) from error
    return sha256(written).hexdigest()


def written_digest(digest: str) -> str:
    """Return a digest as programs get it: with the name of its algorithm."""
    return f"sha-256:{digest}"


def shown_tool(tool: Json) -> Json:
    """Return the parts of a tool by which a person decides: if one of them changes, it is another version."""
    return {name: tool[name] for name in _SHOWN if name in tool}


def version_of(tool: Json) -> str:
    """Return the digest of these parts."""
    return digest_of_json(shown_tool(tool))


def proposed(request: InputRequest) -> tuple[str, Json]:
    """Return the name of the tool of an approval, and the arguments that were proposed."""
    tool, arguments = request.params.get("tool") or {}, request.params.get("arguments") or {}
    return str(tool.get("name", "")), dict(arguments)


def decision_of(request: InputRequest) -> Decision | None:
    """Return what the person decided on an approval; None if it waits, or ended without a decision."""
    if request.kind != APPROVAL or request.pending or request.via is None:
        return None
    verb = _verb_of(request)
    if verb is None:
        return None
    name, _arguments = proposed(request)
    may_run = dict(request.content or {}) if verb in (Verb.APPROVE, Verb.EDIT) else None
    is_edited = verb is Verb.EDIT and not request.gone
    return Decision(
        verb=verb,
        arguments=may_run,
        digest=digest_of(name, may_run) if is_edited else request.digest,
        message=request.decline_message,
        by=request.user_id,
        at=request.settled_at,
    )


def _verb_of(request: InputRequest) -> Verb | None:
    if request.state is RequestState.DECLINED:
        return Verb.REJECT
    if request.state is not RequestState.ACCEPTED:
        return None
    by_reason = {ReasonCode.APPROVED_AS_EDITED: Verb.EDIT, ReasonCode.ANSWERED_FOR_TOOL: Verb.RESPOND}
    return by_reason.get(request.reason_code or ReasonCode.INTERNAL_ERROR, Verb.APPROVE)
