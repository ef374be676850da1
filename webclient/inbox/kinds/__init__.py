"""The kinds of input requests, each in a module that has everything that differs by kind.

A new kind needs its module, its template `templates/requests/kinds/NAME.html`, and its line in `KINDS`.
"""

from __future__ import annotations

from webclient.domain.model import AnyRequest, InputRequest, Json
from webclient.inbox.kinds.approval import ApprovalKind
from webclient.inbox.kinds.form import FormKind
from webclient.inbox.kinds.kind import AutomaticKind, CheckedAnswer, Kind, UnsupportedKind
from webclient.inbox.kinds.prepared import PreparedForm
from webclient.inbox.kinds.roots import RootsKind
from webclient.inbox.kinds.sampling import SamplingKind
from webclient.inbox.kinds.url import UrlKind, link_of

__all__ = [
    "KINDS",
    "LINK",
    "AutomaticKind",
    "CheckedAnswer",
    "Kind",
    "PreparedForm",
    "is_automatic",
    "kind_of",
    "link_of",
    "read_once",
    "recognised",
]

FORM, LINK, ROOTS = FormKind(), UrlKind(), RootsKind()

KINDS: list[Kind] = [
    FORM,
    LINK,
    SamplingKind(),
    ROOTS,
    ApprovalKind(),
]


def kind_of(request: AnyRequest) -> Kind:
    """Return the kind of a request; a kind that only a later version knows is unsupported."""
    return next((kind for kind in KINDS if kind.name == request.kind), UnsupportedKind(request.kind))


def read_once(request: InputRequest) -> Json:
    """Return the fields of a new request that lists have in place of its parameters."""
    kind = kind_of(request)
    withheld = kind.withheld(request) if request.pending else request.withheld
    return {
        "digest": kind.digest(request.params),
        "parts": kind.parts(request.params),
        "risk": kind.risk(request.params),
        "withheld": withheld,
        "brief": kind.brief(request, withheld),
    }


def is_automatic(request: InputRequest) -> bool:
    """Return whether a request is answered without a person."""
    return isinstance(kind_of(request), AutomaticKind)


def recognised(method: str, params: Json) -> Kind:
    """Return the kind to which a server's message belongs."""
    # An elicitation in an unknown mode is shown as a form that could not be read.
    return next((kind for kind in KINDS if kind.takes(method, params)), FORM)
