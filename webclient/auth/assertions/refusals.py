"""Why a signed assertion is refused: a code for the audit trail, and a sentence that says what would be right."""

from __future__ import annotations

from enum import StrEnum

from webclient.domain.errors import WebclientError
from webclient.domain.i18n import N_
from webclient.domain.i18n import gettext as _
from webclient.domain.model import Json


class AssertionCode(StrEnum):
    """The reasons for which an assertion is refused."""

    MALFORMED = "malformed"
    WRONG_ALGORITHM = "wrong_algorithm"
    UNKNOWN_KEY = "unknown_key"
    KEYS_UNREACHABLE = "keys_unreachable"
    WRONG_SIGNATURE = "wrong_signature"
    MISSING_CLAIM = "missing_claim"
    WRONG_AUDIENCE = "wrong_audience"
    WRONG_ISSUER = "wrong_issuer"
    WRONG_SIGNER = "wrong_signer"
    NOT_YET_VALID = "not_yet_valid"
    EXPIRED = "expired"
    NO_USER = "no_user"


_SENTENCES = {
    AssertionCode.MALFORMED: N_("The sign-in of the proxy is malformed: its header must have a JWT."),
    AssertionCode.WRONG_ALGORITHM: N_("The sign-in of the proxy is signed with another algorithm than the proxy uses."),
    AssertionCode.UNKNOWN_KEY: N_(
        "The key of the proxy's sign-in is unknown. If the proxy has changed its keys, try again in half a minute."
    ),
    AssertionCode.KEYS_UNREACHABLE: N_(
        "The keys of the proxy cannot be fetched, so its sign-in cannot be checked. Try again in half a minute."
    ),
    AssertionCode.WRONG_SIGNATURE: N_("The signature of the proxy's sign-in is wrong."),
    AssertionCode.MISSING_CLAIM: N_("The sign-in of the proxy has no claim “{claim}”."),
    AssertionCode.WRONG_AUDIENCE: N_(
        "The sign-in of the proxy is meant for another application: check --auth-audience."
    ),
    AssertionCode.WRONG_ISSUER: N_("The sign-in of the proxy is from another issuer: check --auth-issuer."),
    AssertionCode.WRONG_SIGNER: N_("The sign-in of the proxy is from another load balancer: check --auth-signer."),
    AssertionCode.NOT_YET_VALID: N_(
        "The sign-in of the proxy is from the future: compare the clocks of both machines."
    ),
    AssertionCode.EXPIRED: N_("The sign-in of the proxy has expired. Load the page again to sign in."),
    AssertionCode.NO_USER: N_(
        "The sign-in of the proxy names no user. Programs send a token of this application instead."
    ),
}


class AssertionRefusedError(WebclientError):
    """A signed assertion is not accepted; `code` says why, and nothing of the assertion is quoted."""

    status = 401
    title = N_("Not signed in")

    def __init__(self, code: AssertionCode, claim: str = "") -> None:
        super().__init__(_(_SENTENCES[code]).format(claim=claim))
        self.code = code
        if code is AssertionCode.KEYS_UNREACHABLE:
            # The user need not sign in again for it.
            self.status = 503

    @property
    def extra(self) -> Json:
        """The code, for the administrator of the proxy."""
        return {"code": self.code.value}
