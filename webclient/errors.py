"""The few things that can go wrong for whoever asks us something; `web.errors` turns each into a page or problem+json.

Every message is a sentence for a person: what was seen, what was expected, what to do.
"""

from __future__ import annotations

from webclient.model import InputRequest, Json, Reason
from webclient.reasons import sentence


class WebclientError(Exception):
    """Something that was asked of us cannot be done; `status` is the HTTP status that says so.

    Made of a reason, it says so in the language of the context in which it is shown.
    """

    status = 400
    title = "Bad request"

    def __init__(self, message: str | Reason) -> None:
        super().__init__(message)
        self.reason = message if isinstance(message, Reason) else None

    def __str__(self) -> str:
        return sentence(self.reason) if self.reason else super().__str__()

    @property
    def extra(self) -> Json:
        """Further members of the problem document (RFC 9457 section 3.2)."""
        return {}


class NotFoundError(WebclientError):
    """There is no such thing for this user; a foreign id looks the same as a wrong one."""

    status = 404
    title = "Not found"


class ForbiddenError(WebclientError):
    """The browser and the API may not do this, whoever asks."""

    status = 403
    title = "Forbidden"


class ConflictError(WebclientError):
    """What was asked does not fit the state that the thing is in now."""

    status = 409
    title = "Conflict"


class AlreadySettledError(ConflictError):
    """Somebody or something settled the request first; `request` is how it stands now."""

    title = "Already settled"

    def __init__(self, message: str, request: InputRequest) -> None:
        super().__init__(message)
        self.request = request


class ArgumentsGoneError(ConflictError):
    """The call cannot be run again as it was: not all of its arguments are kept."""

    title = "Not kept"


class InvalidInputError(WebclientError):
    """What was given does not fit; `errors` maps each field, or "" for the whole, to a sentence."""

    status = 422
    title = "Invalid input"

    def __init__(self, message: str, errors: dict[str, str]) -> None:
        super().__init__(message)
        self.errors = errors

    @property
    def extra(self) -> Json:
        """The errors by field."""
        return {"errors": self.errors}


class InvalidAnswerError(InvalidInputError):
    """The answer does not fit what was asked."""

    title = "Invalid answer"


class TooManyError(WebclientError):
    """A limit of this program is reached; the message names it."""

    status = 503
    title = "Too many"
