"""`roots/list`: the server asks which folders it may use, and is answered from the list that the user keeps for it."""

from __future__ import annotations

from dataclasses import replace

from webclient.domain.i18n import gettext as _
from webclient.domain.i18n import ngettext
from webclient.domain.model import InputRequest, Json, ListedRequest, Reason, ReasonCode, RequestState, Server, now
from webclient.domain.root_rules import is_accessible
from webclient.inbox.kinds.kind import AutomaticKind


class RootsKind(AutomaticKind):
    """Answered with the folders that can be read now."""

    name = "roots"
    mode_off = ReasonCode.ROOTS_NOT_SHARED

    def takes(self, method: str, params: Json) -> bool:
        """Return whether the method is that of this kind."""
        del params
        return method == "roots/list"

    def allows(self, server: Server) -> bool:
        """Return whether the user keeps a list for the server."""
        return server.roots is not None

    def answered(self, request: InputRequest, server: Server) -> InputRequest:
        """Return the request answered with the folders of the list. It reads the disk for a stdio server.

        Those that are not there, or cannot be read, are left out (MCP 2025-11-25, Roots, Security: MUST only expose
        roots with permissions, MUST monitor their accessibility). The disk of a remote server cannot be seen.
        """
        is_local = "command" in server.transport
        roots = [root for root in server.roots or () if not is_local or is_accessible(root)]
        return replace(
            request,
            state=RequestState.ACCEPTED,
            reason=Reason(ReasonCode.ROOTS_SHARED),
            content={"roots": [root.as_json for root in roots]},
            settled_at=now(),
        )

    def result(self, request: InputRequest) -> Json:
        """Return the result that the server gets (`ListRootsResult`)."""
        # What an agent lists passes as it came.
        return {"roots": [], **(request.content or {})}

    def asks(self, listed: ListedRequest) -> str:
        """Return what the server asked for."""
        del listed
        return _("Folders that it may use")

    def describe(self, request: InputRequest) -> str:
        """Return a sentence on the state of the request."""
        if request.state is not RequestState.ACCEPTED:
            return super().describe(request)
        n = len(self.result(request)["roots"])
        sentence = ngettext(
            "It was answered automatically with {n} folder.", "It was answered automatically with {n} folders.", n
        )
        return sentence.format(n=n)
