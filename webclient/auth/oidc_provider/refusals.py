"""Why a sign-in with the provider ends without a session: a code for the audit trail, a status, and a sentence."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from webclient.auth.jwt import JwtFault, JwtRefusedError
from webclient.domain.i18n import N_
from webclient.domain.i18n import gettext as _
from webclient.domain.model import Person


class Refusal(StrEnum):
    """The reasons for which a sign-in is refused; the values stand in the audit trail."""

    UNKNOWN = "unknown_state"
    LATE = "late"
    CANCELLED = "cancelled"
    PROVIDER_ERROR = "provider_error"
    OTHER_ISSUER = "other_issuer"
    UNREACHABLE = "unreachable"
    HOST_UNKNOWN = "host_unknown"
    NOTHING_LISTENS = "nothing_listens"
    CERTIFICATE_INVALID = "certificate_invalid"
    UNUSABLE = "unusable_answer"
    NOT_ALLOWED = "not_allowed"
    DISABLED = "disabled_user"
    FRAMED = "framed"


_SENTENCES = {
    Refusal.UNKNOWN: (
        400,
        N_(
            "This sign-in did not begin in this browser, or it was finished before. Start again here; if that happens "
            "each time, allow cookies of this site."
        ),
    ),
    Refusal.LATE: (400, N_("This sign-in took too long, so it is no longer valid. Start again.")),
    Refusal.CANCELLED: (403, N_("The sign-in was cancelled at {provider}. You are not signed in.")),
    Refusal.PROVIDER_ERROR: (
        502,
        N_("{provider} did not sign you in. Try again; if that does not help, ask your administrator."),
    ),
    Refusal.OTHER_ISSUER: (
        400,
        N_("The answer comes from another provider than {provider}, so it was not used. Start again."),
    ),
    Refusal.UNREACHABLE: (502, N_("{provider} cannot be reached or is too slow. Try again in a moment.")),
    Refusal.HOST_UNKNOWN: (
        502,
        N_("The address of {provider} was not found. Try again in a moment, or ask your administrator."),
    ),
    Refusal.NOTHING_LISTENS: (
        502,
        N_("{provider} does not take connections. Try again in a moment, or ask your administrator."),
    ),
    Refusal.CERTIFICATE_INVALID: (
        502,
        N_("The certificate of {provider} is not trusted here, so you are not signed in. Ask your administrator."),
    ),
    Refusal.UNUSABLE: (
        502,
        N_("The answer of {provider} failed a check, so you are not signed in. Try again, or ask your administrator."),
    ),
    Refusal.NOT_ALLOWED: (
        403,
        N_("Your account at {provider} may not use mcp-webclient. Ask your administrator for access."),
    ),
    Refusal.DISABLED: (403, N_("Your account is disabled here. Ask your administrator for access.")),
    Refusal.FRAMED: (
        403,
        N_("A sign-in at {provider} cannot begin within another page. Open mcp-webclient in a tab of its own."),
    ),
}


class AccessTokenRefusedError(JwtRefusedError):
    """An access token of the provider is not accepted; `challenge` says where the way to another one is described."""

    sentences = {  # noqa: RUF012  (declared by the class above)
        JwtFault.MALFORMED: N_("The access token is malformed: it must be a JWT, with claims of the right types."),
        JwtFault.OPAQUE: N_(
            "This token cannot be read here. Access tokens of the provider must be JWTs (RFC 9068), for this address."
        ),
        JwtFault.WRONG_TYPE: N_("This is not an access token: its type must be “at+jwt” (RFC 9068)."),
        JwtFault.WRONG_ISSUER: N_("The access token is from another issuer than the provider of this inbox."),
        JwtFault.WRONG_ALGORITHM: N_("The access token is signed with an algorithm that has no published key."),
        JwtFault.UNKNOWN_KEY: N_(
            "The key of the access token is unknown. If the provider has changed its keys, try again in half a minute."
        ),
        JwtFault.KEYS_UNREACHABLE: N_(
            "The keys of the provider cannot be fetched, so its token cannot be checked. Try again in half a minute."
        ),
        JwtFault.WRONG_SIGNATURE: N_("The signature of the access token is wrong."),
        JwtFault.MISSING_CLAIM: N_("The access token has no claim “{claim}”."),
        JwtFault.WRONG_CLAIM: N_("The access token has an unusable claim “{claim}”."),
        JwtFault.WRONG_AUDIENCE: N_(
            "The access token is for another address: its audience must be this address alone (RFC 8707)."
        ),
        JwtFault.WRONG_SCOPE: N_("The access token does not have the scope that agents need here."),
        JwtFault.NOT_YET_VALID: N_("The access token is from the future: compare the clocks of both machines."),
        JwtFault.EXPIRED: N_("The access token has expired."),
    }

    def __init__(self, code: JwtFault, claim: str = "") -> None:
        super().__init__(code, claim)
        self.status = {JwtFault.KEYS_UNREACHABLE: 503, JwtFault.WRONG_SCOPE: 403}.get(code, 401)
        self.challenge = ""

    @property
    def headers(self) -> Mapping[str, str]:
        """The challenge for the client (RFC 6750, section 3)."""
        if self.status == 503:
            return {}
        code = "insufficient_scope" if self.code is JwtFault.WRONG_SCOPE else "invalid_token"
        return {"WWW-Authenticate": f'Bearer error="{code}", {self.challenge}'}


class RefusedError(Exception):
    """A sign-in is refused; `page` is where the person wanted to go.

    `person` is who the provider has proved to be there, if the sign-in came that far.
    """

    def __init__(self, refusal: Refusal, page: str = "/", person: Person | None = None) -> None:
        super().__init__(refusal.value)
        self.refusal = refusal
        self.page = page
        self.person = person

    @property
    def status(self) -> int:
        """The status of the page that says so."""
        return _SENTENCES[self.refusal][0]

    def sentence(self, provider: str) -> str:
        """Return what is said to the person; `provider` is its name here."""
        # Nothing of the provider's answer: a link to the callback could otherwise show any text on our page.
        return _(_SENTENCES[self.refusal][1]).format(provider=provider)
