"""Kinds that this client does not offer: they are refused, and shown as they came."""

from __future__ import annotations

from webclient.errors import InvalidAnswerError
from webclient.i18n import gettext as _
from webclient.inbox.answers import CheckedAnswer
from webclient.inbox.kinds.kind import Kind
from webclient.model import InputRequest, Json


class NotOffered(Kind):
    """No server may ask it, and nobody can accept it."""

    def __init__(self, name: str, method: str = "") -> None:
        self.name = name
        self._method = method

    @property
    def template(self) -> str:
        """The template that shows the parameters as they came."""
        return "requests/kinds/not_offered.html"

    def takes(self, method: str, params: Json) -> bool:
        """Whether the method is that of this kind."""
        del params
        return bool(method) and method == self._method

    def check_accepted(self, request: InputRequest, content: Json | None) -> CheckedAnswer:
        """Refuse it. Raises InvalidAnswerError."""
        del request, content
        message = _("This client cannot give what the server asks for. Decline or cancel it.")
        raise InvalidAnswerError(message, {"": message})
