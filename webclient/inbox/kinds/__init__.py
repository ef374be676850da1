"""The kinds of input requests, each in a module that has everything that differs by kind.

A new kind needs its module, its template `templates/requests/kinds/NAME.html`, and its line in `KINDS`.
"""

from __future__ import annotations

from webclient.inbox.kinds.form import FormKind
from webclient.inbox.kinds.kind import Kind
from webclient.inbox.kinds.not_offered import NotOffered
from webclient.inbox.kinds.prepared import PreparedForm
from webclient.inbox.kinds.url import UrlKind, link_of
from webclient.model import InputRequest, Json

__all__ = ["KINDS", "Kind", "PreparedForm", "kind_of", "link_of", "name_of"]

KINDS: list[Kind] = [
    FormKind(),
    UrlKind(),
    NotOffered("sampling", "sampling/createMessage"),
    NotOffered("roots", "roots/list"),
]


def kind_of(request: InputRequest) -> Kind:
    """Return the kind of a request; one that a later version stored is not offered."""
    return next((kind for kind in KINDS if kind.name == request.kind), NotOffered(request.kind))


def name_of(method: str, params: Json) -> str:
    """Return the name of the kind that a server's message with this method and these parameters is of."""
    # What is of none, such as an elicitation in a mode that nobody knows, was a form that could not be read.
    return next((kind.name for kind in KINDS if kind.takes(method, params)), FormKind.name)
