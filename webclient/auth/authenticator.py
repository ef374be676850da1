"""The interfaces between this room and what finds out who sends a request."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import Enum, auto
from typing import ClassVar, Protocol

from starlette.requests import HTTPConnection

from webclient.auth.principal import Principal
from webclient.domain.errors import WebclientError
from webclient.domain.i18n import N_, ngettext
from webclient.domain.i18n import gettext as _
from webclient.domain.model import Browser, BrowserSession, Json


class InvalidCredentialError(Exception):
    """The request has a credential of this way, and it is wrong or has ended.

    With a `code` it is an attempt for the audit trail; `user_id` is the user if one is known but disabled.
    """

    def __init__(self, code: str = "", user_id: str = "") -> None:
        super().__init__(code)
        self.code = code
        self.user_id = user_id


class LapsedUserError(WebclientError):
    """The token of a program is right, but its user has not signed in for too long."""

    status = 401
    title = N_("Not signed in")

    def __init__(self, user_id: str, days: int) -> None:
        super().__init__(
            ngettext(
                "The user of this token has not signed in for {n} day. It works again after their next sign-in.",
                "The user of this token has not signed in for {n} days. It works again after their next sign-in.",
                days,
            ).format(n=days)
        )
        self.user_id = user_id


class NoUserError(WebclientError):
    """The credential is right, and the user for whom it would act here is unknown, or must sign in first."""

    status = 403
    title = N_("Forbidden")
    sentences: ClassVar[Mapping[str, str]] = {
        "no_user_header": N_("This token acts for the user whom a header names. It must be there once, with a name."),
        "unknown_user": N_("No user with this name has signed in here. Sign in on the page once, then try again."),
        "several_users": N_("Several users have this name, so the request is for none of them."),
        "disabled_user": N_("This user is disabled."),
        "not_allowed": N_("The provider names no group of this user that may use mcp-webclient."),
        "lapsed_user": N_("This user has not signed in for too long. It works again after their next sign-in."),
        "no_admin": N_("This token may act for others only as long as an administrator has it."),
    }

    def __init__(self, code: str, user_id: str = "") -> None:
        super().__init__(_(self.sentences[code]))
        self.code = code
        self.user_id = user_id

    @property
    def extra(self) -> Json:
        """The code, for the program."""
        return {"code": self.code}


class DisabledUserError(WebclientError):
    """The proxy or another way has proved who the user is, and an administrator has disabled them."""

    status = 401
    title = N_("Not signed in")

    def __init__(self) -> None:
        super().__init__(_("Your account is disabled here. Ask your administrator for access."))

    @property
    def extra(self) -> Json:
        """The code, with which the page shows no sign-in: none would help."""
        return {"code": "disabled_user"}


class SignedOutOfAppError(WebclientError):
    """The session that an embedding application gave has ended: before its time (`was_ended`), or by its time."""

    status = 401
    title = N_("Not signed in")

    def __init__(self, app: str, *, was_ended: bool) -> None:
        sentence = (
            _("You are signed out of {app}. After you have signed in there, open your questions again from {app}.")
            if was_ended
            else _("You are not signed in here any more. Open your questions again from {app}.")
        )
        super().__init__(sentence.format(app=app))
        self.app = app
        self.was_ended = was_ended

    @property
    def extra(self) -> Json:
        """A code: after `session_ended` a page that shows questions itself clears them."""
        return {"code": "session_ended" if self.was_ended else "session_expired", "app": self.app}

    @property
    def headers(self) -> Mapping[str, str]:
        """The same for our own scripts, which do not read the body of each response."""
        return {"WWW-Authenticate": "Bearer"} | ({"X-Webclient-Session": "ended"} if self.was_ended else {})


class Authenticator(Protocol):
    """Finds out who sends a request by one kind of credential; `name` is that of the setting."""

    name: str

    async def identify(self, connection: HTTPConnection) -> Principal | None:
        """Return the principal, or None if the request has no credential of this way.

        Code that ends the principal's `sign_in` notifies the store's `watched_sign_ins`, and its streams end.

        Raises InvalidCredentialError, and an error with a sentence for a sender that should know why.
        """
        ...


class Sessions(Protocol):
    """Signed-in browsers by a random session id that is not the token; the store has one."""

    async def create(
        self,
        user_id: str,
        way: str,
        *,
        ends_at: datetime | None = None,
        idle: timedelta | None = None,
        provider_session: str | None = None,
        browser: Browser | None = None,
    ) -> str:
        """Return the id of a new session of the user, whom `way` has signed in."""
        ...

    async def find(self, session_id: str) -> BrowserSession | None:
        """Return the session; None if there is none, it has ended, or its user is disabled."""
        ...

    async def remove(self, session_id: str) -> None:
        """End the session."""
        ...


class SignInOutcome(Enum):
    """The result of an attempt to sign in."""

    SIGNED_IN = auto()
    WRONG = auto()
    USED = auto()
    """The link works once and was used before."""
    ELSEWHERE = auto()
    """No secret signs anybody in here."""
    TOO_MANY = auto()
    """Too many wrong attempts came from this address."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SignInResult:
    """The outcome, and the headers that the response must carry to the browser."""

    outcome: SignInOutcome
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class EndedSession:
    """The cookies that make the browser forget its session, and the `url` that ends the one elsewhere, if any."""

    cookies: tuple[str, ...] = ()
    url: str | None = None


class SignIn(Protocol):
    """A way that the sign-in page can use: a browser brings a secret and gets a session."""

    takes_token: bool
    """Whether the page asks for a token."""

    @property
    def begins_at(self) -> str | None:
        """The page that begins a sign-in elsewhere, if there is one."""
        ...

    @property
    def provider_label(self) -> str:
        """The name of the provider at which it begins."""
        ...

    @property
    def link_secret(self) -> str | None:
        """The secret for the sign-in link that is printed when the program is ready; None if no secret signs in."""
        ...

    def one_time_secret(self) -> str:
        """Return a secret that signs one browser in, once; an earlier one no longer works."""
        ...

    def instructions(self) -> str:
        """Return the sentences that say how to sign in."""
        ...

    async def sign_in(self, connection: HTTPConnection, secret: str) -> SignInResult:
        """Start a session if the secret is right."""
        ...

    async def sign_out(self, connection: HTTPConnection) -> EndedSession:
        """End the session of the request."""
        ...
