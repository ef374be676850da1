"""Reasons why a sign-in to a server is not possible or has failed."""

from __future__ import annotations

from collections.abc import Mapping

from webclient.domain.i18n import N_
from webclient.domain.model import ReasonCode
from webclient.domain.reasons.plural import Sentence

NOT_FINISHED: Mapping[ReasonCode, Sentence] = {
    ReasonCode.SIGN_IN_REQUIRED: N_("You are not signed in to this server. Sign in on the page of the server."),
    ReasonCode.SIGN_IN_UNKNOWN: N_("This sign-in is not known here. Begin again on the page of the server."),
    ReasonCode.SIGN_IN_USED: N_("This sign-in was already completed, perhaps in another tab."),
    ReasonCode.SIGN_IN_EXPIRED: N_("The sign-in was not completed within an hour. Begin again."),
    ReasonCode.SIGN_IN_OTHER_USER: N_("Another user began this sign-in. Begin your own on the page of the server."),
    ReasonCode.SIGN_IN_OTHER_BROWSER: N_(
        "This sign-in began in another browser. Finish it there, or begin again here."
    ),
    ReasonCode.SIGN_IN_DISMISSED: N_("You dismissed the sign-in. To use the server, sign in on its page."),
    ReasonCode.SIGN_IN_REMOVED: N_("The server of this sign-in was removed."),
    ReasonCode.SIGN_IN_DENIED: N_("{issuer} reports that access was denied. To use the server, sign in again."),
    ReasonCode.SIGN_IN_ERROR: N_("{issuer} ended the sign-in with the error “{error}”. Sign in again."),
    ReasonCode.SIGN_IN_NO_CODE: N_("{issuer} sent you back without a code. Sign in again."),
    ReasonCode.SIGN_IN_OTHER_ISS: N_(
        "The answer did not come from {issuer}, so it was ignored: another authorization server may have tried to "
        "intercept the sign-in. Sign in again."
    ),
    ReasonCode.SIGN_IN_MISSING_ISS: N_(
        "The answer does not name {issuer} as its sender, although {issuer} promises to, so it was "
        "ignored. Sign in again."
    ),
    ReasonCode.SIGN_IN_FAILED: N_("The sign-in failed because of an error in mcp-webclient. Its log says more."),
}

SERVER: Mapping[ReasonCode, Sentence] = {
    ReasonCode.SIGN_IN_OTHER_RESOURCE: N_(
        "The server claims to be {resource}, which is another address. A token for it could be misused, so the sign-in "
        "was stopped. Check the address of the server."
    ),
    ReasonCode.SIGN_IN_NO_SERVER: N_(
        "{where} requires sign-in but names no authorization server. Ask its operator, or add an Authorization header."
    ),
    ReasonCode.SIGN_IN_NO_METADATA: N_(
        "The authorization server {issuer} has no usable metadata. These were tried: {tried}. Ask the operator of the "
        "server."
    ),
    ReasonCode.SIGN_IN_NO_ENDPOINT: N_(
        "The metadata of {issuer} has no “{name}”, so sign-in is not possible. Ask the operator of the server."
    ),
    ReasonCode.SIGN_IN_OTHER_ISSUER: N_(
        "The metadata of {issuer} names another issuer, {other}, so the sign-in was stopped. If your provider "
        "documents this, allow it in the settings of the server."
    ),
    ReasonCode.SIGN_IN_NO_PKCE: N_(
        "{issuer} does not announce PKCE (S256), which protects the sign-in, so it was stopped. If your provider "
        "documents that it supports PKCE, allow this in the settings of the server."
    ),
    ReasonCode.SIGN_IN_FORBIDDEN_ADDRESS: N_(
        "The server led to {host}, which was not found, or is in a network that it must not reach through this "
        "program. Nothing was sent."
    ),
    ReasonCode.SIGN_IN_NOT_HTTPS: N_(
        "The sign-in would lead to {url}, which is not an https address. Nothing was sent. Ask the "
        "operator of the server."
    ),
    ReasonCode.SIGN_IN_UNAVAILABLE: N_("{where} fails at present (HTTP {status}). Try again later."),
    ReasonCode.SIGN_IN_TIMEOUT: N_("{where} did not answer in time. Try again later."),
    ReasonCode.SIGN_IN_UNREACHABLE: N_("{where} cannot be reached. Check the network, then try again."),
    ReasonCode.SIGN_IN_ANSWER_UNUSABLE: N_(
        "{where} sent an answer that is too large or compressed, so it was not read. Ask the operator of the server."
    ),
}

CLIENT: Mapping[ReasonCode, Sentence] = {
    ReasonCode.SIGN_IN_NO_REGISTRATION: N_(
        "{issuer} does not let programs register themselves. Register mcp-webclient there with the redirect URI "
        "{redirect_uri}, then enter its client ID in the settings of the server."
    ),
    ReasonCode.SIGN_IN_REGISTRATION_REFUSED: N_(
        "{issuer} refused to register this program (HTTP {status}: {error}). Register it there by hand with the "
        "redirect URI {redirect_uri}, then enter its client ID in the settings of the server."
    ),
    ReasonCode.SIGN_IN_REGISTRATION_UNUSABLE: N_(
        "{issuer} registered this program with a “{name}” that it cannot use. Register it there by hand with the "
        "redirect URI {redirect_uri}, then enter its client ID in the settings of the server."
    ),
    ReasonCode.SIGN_IN_CLIENT_OF_OTHER_ISSUER: N_(
        "The client ID in the settings of the server belongs to {configured}, but the server now names {issuer}. The "
        "client ID was not sent there. If the change is right, correct the settings."
    ),
    ReasonCode.SIGN_IN_CLIENT_UNKNOWN: N_(
        "{issuer} does not accept this program's client ID. Sign in again to register again, or correct the client ID "
        "and secret in the settings of the server."
    ),
    ReasonCode.SIGN_IN_REGISTERED_OFTEN: N_(
        "mcp-webclient has registered {n} times with {issuer} within an hour, which is the limit. The provider may "
        "lose its clients: ask its operator, or register by hand in the settings of the server."
    ),
    ReasonCode.SIGN_IN_NOT_REGISTERED: N_(
        "The client ID of this sign-in was not registered by mcp-webclient. Correct it in the settings of the server."
    ),
    ReasonCode.SIGN_IN_KEY_UNUSABLE: N_(
        "The private key in the settings of the server cannot be used. Enter a PEM key for ES256 or RS256."
    ),
    ReasonCode.SIGN_IN_NOT_CONFIGURED: N_("The settings of the server lack “{name}”, which its sign-in needs. Add it."),
}

TOKENS: Mapping[ReasonCode, Sentence] = {
    ReasonCode.SIGN_IN_REFUSED: N_("{issuer} refused to give a token (error “{error}”). Sign in again."),
    ReasonCode.SIGN_IN_NO_TOKEN: N_("{issuer} gave no valid token (HTTP {status}). Sign in again."),
    ReasonCode.SIGN_IN_OTHER_TOKEN: N_(
        "{issuer} gave a token of the type “{kind}”, which MCP does not use. Ask the operator of the server."
    ),
    ReasonCode.SIGN_IN_TOKEN_REJECTED: N_(
        "The server does not accept the token that {issuer} gave for {resource}. Its operator has to correct this; "
        "signing in again may not help."
    ),
    ReasonCode.SIGN_IN_SCOPE_LIMIT: N_(
        "The server keeps asking for the permission “{scope}”, although you signed in for it. Sign in on the page of "
        "the server with an account that has this permission."
    ),
    ReasonCode.SIGN_IN_NOT_REVOKED: N_(
        "{issuer} did not revoke the token (HTTP {status}), which was deleted here. It ends by itself."
    ),
}

FAILED: Mapping[ReasonCode, Sentence] = {**NOT_FINISHED, **SERVER, **CLIENT, **TOKENS}
