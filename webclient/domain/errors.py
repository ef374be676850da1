"""The errors of a request to this program; `http.errors` renders each as a page or as problem+json.

Every message is a sentence for a person: what was wrong, what was expected, what to do.
"""

from __future__ import annotations

from collections.abc import Mapping

from webclient.domain.i18n import N_
from webclient.domain.model import InputRequest, Json, Reason
from webclient.domain.reasons import sentence


class WebclientError(Exception):
    """Something that was asked of us cannot be done; `status` is the HTTP status that says so.

    Made of a reason, it says so in the language of the context in which it is shown. `retry_after` are the
    seconds after which the same may succeed, if waiting helps.
    """

    status = 400
    title = N_("Bad request")
    retry_after: float | None = None
    is_temporary = False
    """Whether the same may succeed later, without a change of settings."""

    def __init__(self, message: str | Reason) -> None:
        super().__init__(message)
        self.reason = message if isinstance(message, Reason) else None

    def __str__(self) -> str:
        return sentence(self.reason) if self.reason else super().__str__()

    @property
    def for_operator(self) -> str:
        """The sentence for the log and the command line; it may name places that callers must not learn."""
        return str(self)

    @property
    def headers(self) -> Mapping[str, str]:
        """Further headers of the response."""
        return {}

    @property
    def extra(self) -> Json:
        """Further members of the problem document (RFC 9457 section 3.2)."""
        return {"reason_code": self.reason.code} if self.reason else {}


class NotFoundError(WebclientError):
    """The user has no such thing; another user's id gives the same error as a wrong one."""

    status = 404
    title = N_("Not found")


class ForbiddenError(WebclientError):
    """The browser and the API may not do this for any user."""

    status = 403
    title = N_("Forbidden")


class ConflictError(WebclientError):
    """The request does not fit the present state."""

    status = 409
    title = N_("Conflict")


class SignInFailedError(ConflictError):
    """The user is not signed in to the server; `reason` says why."""

    title = N_("Not signed in")


class AlreadySettledError(ConflictError):
    """The input request was settled before; `request` is its present state."""

    title = N_("Already settled")

    def __init__(self, message: str, request: InputRequest) -> None:
        super().__init__(message)
        self.request = request


class ArgumentsGoneError(ConflictError):
    """The call cannot be run again: some of its arguments were deleted."""

    title = N_("Not kept")


class InvalidInputError(WebclientError):
    """The input is invalid; `errors` maps each field, or "" for the whole, to a sentence."""

    status = 422
    title = N_("Invalid input")

    def __init__(self, message: str, errors: dict[str, str]) -> None:
        super().__init__(message)
        self.errors = errors

    @property
    def extra(self) -> Json:
        """The errors by field."""
        return {"errors": self.errors}


class InvalidAnswerError(InvalidInputError):
    """The answer is invalid for its input request."""

    title = N_("Invalid answer")


class RefusedRequestError(WebclientError):
    """A question of a program is refused by the policy; `reason` says why."""

    title = N_("Question refused")

    def __init__(self, reason: Reason, status: int, *, retry_after: float | None = None) -> None:
        super().__init__(reason)
        self.status = status
        self.retry_after = retry_after


class TooManyError(WebclientError):
    """A limit of this program is reached; the message names it."""

    status = 503
    title = N_("Too many")
