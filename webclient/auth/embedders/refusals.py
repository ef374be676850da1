"""Why a minted token is refused: a code for programs, and a sentence that says what would be right."""

from __future__ import annotations

from enum import StrEnum

from webclient.domain.errors import WebclientError
from webclient.domain.i18n import N_
from webclient.domain.i18n import gettext as _
from webclient.domain.model import Json, Person


class TokenCode(StrEnum):
    """The reasons for which a token is refused."""

    MALFORMED = "malformed"
    UNKNOWN_ISSUER = "unknown_issuer"
    WRONG_ALGORITHM = "wrong_algorithm"
    UNKNOWN_KEY = "unknown_key"
    WRONG_SIGNATURE = "wrong_signature"
    MISSING_CLAIM = "missing_claim"
    WRONG_AUDIENCE = "wrong_audience"
    WRONG_ORIGIN = "wrong_origin"
    WRONG_SCOPE = "wrong_scope"
    NOT_YET_VALID = "not_yet_valid"
    EXPIRED = "expired"
    TOO_LONG = "too_long"
    REPLAYED = "replayed"
    DISABLED_USER = "disabled_user"


_SENTENCES = {
    TokenCode.MALFORMED: N_("The token is malformed: it must be a JWT, with claims of the right types."),
    TokenCode.UNKNOWN_ISSUER: N_("The issuer of the token is unknown: “iss” must be that of the embedders file."),
    TokenCode.WRONG_ALGORITHM: N_(
        "The algorithm of the token is not accepted: use HS256 with a secret, or EdDSA, ES256 or RS256 with published "
        "keys."
    ),
    TokenCode.UNKNOWN_KEY: N_("The key of the token is unknown: “kid” must name one of the published keys."),
    TokenCode.WRONG_SIGNATURE: N_("The signature of the token is wrong: check the secret or the key."),
    TokenCode.MISSING_CLAIM: N_("The token has no claim “{claim}”."),
    TokenCode.WRONG_AUDIENCE: N_("The token is meant for another audience: “aud” must be “mcp-inbox”."),
    TokenCode.WRONG_ORIGIN: N_("The origin of the token is not one of its embedder, or not that of this page."),
    TokenCode.WRONG_SCOPE: N_("The token asks for a scope that its embedder may not give."),
    TokenCode.NOT_YET_VALID: N_("The token is from the future: compare the clocks of both machines."),
    TokenCode.EXPIRED: N_("The token has expired: mint a new one."),
    TokenCode.TOO_LONG: N_("The token is valid for too long: five minutes at most, from “iat” to “exp”."),
    TokenCode.REPLAYED: N_("The token was used before: mint a new one for each use, with a “jti” of its own."),
    TokenCode.DISABLED_USER: N_("This user is disabled."),
}


class TokenRefusedError(WebclientError):
    """A minted token is not accepted; `code` says why, and nothing of the token is quoted.

    `person` is whom a token names that its embedder has signed, and that is refused nevertheless.
    """

    status = 401
    title = N_("Token refused")

    def __init__(self, code: TokenCode, claim: str = "") -> None:
        super().__init__(_(_SENTENCES[code]).format(claim=claim))
        self.code = code
        self.person: Person | None = None

    @property
    def extra(self) -> Json:
        """The code, for the program that minted the token."""
        return {"code": self.code.value}
