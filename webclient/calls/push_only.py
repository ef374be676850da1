"""Recognises a tool that failed, or acted unasked, because its server can ask only by pushing.

2026-07-28 has no way for that.

No SDK has an error code for it, and each has words of its own, inside an error or inside a result that is one. So the
words are looked at only where all else fits: the session speaks 2026-07-28, and the call failed without having asked.
"""

from __future__ import annotations

import re

from webclient.domain.model import Era, Json, Reason, ReasonCode
from webclient.servers.connections import also_speaks

_CERTAIN = re.compile(
    r"""
      back[ -]channel                                        # Python SDK
    | server-initiated\ requests?                            # FastMCP
    | server[ -]to[ -]client\ requests?                      # TypeScript SDK
    | (elicitation/create|sampling/createMessage|roots/list)\W+cannot\ be\ sent   # Go SDK
    | UrlElicitationRequired                                 # TypeScript SDK, where a tool throws it
    | asked\ the\ client\ for\b.*\bnot\ marked\ as\ replayable                    # tmcp
    """,
    re.IGNORECASE | re.VERBOSE | re.DOTALL,
)
"""Messages of SDKs that say so."""

_POSSIBLE = re.compile(
    r"""
      elicit | \bsampling\b | createMessage | \broots/list\b
    | input[ _]?required | input[ _]?requests | multi\ round-trip
    | \b2026-07-28\b
    | ^An\ error\ occurred\ invoking\ '                      # C# SDK, which hides what an unexpected error was
    """,
    re.IGNORECASE | re.VERBOSE,
)
"""Messages that hint at it."""

_COULD_NOT = re.compile(
    r"""
      \belicitation\b [^.\n]{0,60} \b(unavailable | unsupported | not\ (available | supported))\b
    | \b(not | cannot | unable\ to | doesn't)\ support\b [^.\n]{0,60} \belicitation\b
    """,
    re.IGNORECASE | re.VERBOSE,
)
"""Words that say so in a result without `isError`: the tool caught the refusal, and explains it."""

_LOOKED_AT = 4000
"""Characters that are searched: an SDK says it at the beginning, and a result may be megabytes."""


def way_out(version: str | None, known: Json, said: str, *, has_required: bool, failed: bool = True) -> Reason | None:
    """Return the reason if a call failed because its server could not push, else None.

    Reconnecting in the era of pushed questions is the way out. A call that has not `failed` counts only if its result
    says that the server could not ask.

    `version` is the protocol version of its session, `known` what was learned of its server, `said` what the server
    said of the failure, `has_required` whether it has required input during the call: then it knows how to do that in
    this era.
    """
    if version != Era.ROUNDS or has_required or Era.PUSH in known.get("lacks", ()):
        return None
    said = said[:_LOOKED_AT]
    if not failed:
        return Reason.of(ReasonCode.PUSH_REPORTED_MISSING, push=Era.PUSH) if _COULD_NOT.search(said) else None
    if _CERTAIN.search(said):
        return Reason.of(ReasonCode.PUSH_NOT_ALLOWED, modern=Era.ROUNDS, push=Era.PUSH)
    return Reason.of(ReasonCode.PUSH_PERHAPS_NEEDED, push=Era.PUSH) if _POSSIBLE.search(said) else None


def may_ask_elsewhere(version: str | None, known: Json, *, has_required: bool) -> bool:
    """Return whether a call without questions might have had some in the other era.

    The parameters are those of `way_out`.
    """
    return version == Era.ROUNDS and not has_required and also_speaks(known, version) is Era.PUSH


def acted_unasked(tool: Json | None) -> Reason | None:
    """Return the note on a call without questions of a destructive tool, or None.

    The annotation must be there: without it most tools would count (MCP, ToolAnnotations: `destructiveHint` is true
    unless it is given).
    """
    annotations = (tool or {}).get("annotations")
    given = annotations if isinstance(annotations, dict) else {}
    if given.get("destructiveHint") is not True or given.get("readOnlyHint") is True:
        return None
    return Reason.of(ReasonCode.RAN_WITHOUT_ASKING, push=Era.PUSH)
