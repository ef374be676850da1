"""Approvals: a person decides on exactly the tool call that runs, before it runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from mcp_webclient_client.answers import InboxError

Verb = Literal["approve", "edit", "reject", "respond"]

NO_DECISION = "No person decided on this call, so it did not run."
"""What the model gets if the inbox gives no reason."""


@dataclass(frozen=True)
class Decision:
    """The decision of the person; `verb` is None if there is none: then nothing may run either.

    Only `arguments` may run; None if nothing may. `message` is what the person wrote: why they rejected the call, or
    the result that stands in for that of the tool. `reason` says why there is no decision. `digest` is computed from
    the tool and the arguments, as `docs/approvals.md` describes.
    """

    verb: Verb | None
    arguments: dict[str, Any] | None = None
    message: str = ""
    reason: str = ""
    digest: str = ""

    @property
    def may_run(self) -> bool:
        """Whether the tool may run, with `arguments`."""
        return self.arguments is not None

    @property
    def words(self) -> str:
        """What to give to the model in the place of a result, if the tool may not run."""
        if self.verb == "respond":
            return self.message
        if self.verb == "reject":
            return f"A person declined this call, so it did not run. {self.message}".strip()
        return self.reason or NO_DECISION


def decision_of(request: Mapping[str, Any]) -> Decision:
    """Return the decision on a settled request. Raises InboxError if secret arguments are gone."""
    given = request.get("decision")
    if not isinstance(given, Mapping):
        return Decision(None, reason=request.get("reason", ""))
    arguments = given.get("arguments")
    if arguments is not None and request.get("withheld"):
        # Never a call with holes in it.
        raise InboxError("The decision was fetched before, and its secret values are not kept.")
    return Decision(
        given["verb"],
        None if arguments is None else dict(arguments),
        given.get("message", ""),
        digest=given.get("digest", ""),
    )
