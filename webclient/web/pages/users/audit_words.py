"""The words for the codes of the audit trail: actions, details, and reasons of refused sign-ins."""

from __future__ import annotations

from webclient.domain.i18n import gettext as _
from webclient.domain.model import AuditAction


def action_words() -> dict[AuditAction, str]:
    """Return the words for each action."""
    return {
        AuditAction.FIRST_SEEN: _("First visit"),
        AuditAction.SIGNED_IN: _("Signed in"),
        AuditAction.SIGNED_OUT: _("Signed out"),
        AuditAction.SIGN_IN_REFUSED: _("Was refused at sign-in"),
        AuditAction.SERVER_ADDED: _("Added a server"),
        AuditAction.SERVER_CHANGED: _("Changed a server"),
        AuditAction.SERVER_REMOVED: _("Removed a server"),
        AuditAction.SERVER_SIGNED_IN: _("Signed in to a server"),
        AuditAction.SERVER_SIGNED_OUT: _("Signed out of a server"),
        AuditAction.RULES_CHANGED: _("Changed the rules on agents"),
        AuditAction.TOKEN_MADE: _("Made a token"),
        AuditAction.TOKEN_REVOKED: _("Revoked a token"),
        AuditAction.PROGRAM_MUTED: _("Muted a program"),
        AuditAction.PROGRAM_UNMUTED: _("Unmuted a program"),
        AuditAction.NOTICE_TARGET_ADDED: _("Added a place for notifications"),
        AuditAction.NOTICE_TARGET_REMOVED: _("Removed a place for notifications"),
        AuditAction.HISTORY_EXPORTED: _("Exported the history"),
        AuditAction.WIRE_LOG_EXPORTED: _("Exported messages of a server"),
        AuditAction.EMBED_SESSION_BEGUN: _("Signed in from an application"),
        AuditAction.EMBED_SESSION_RENEWED: _("Stayed signed in from an application"),
        AuditAction.EMBED_SESSIONS_ENDED: _("Ended sessions of an application"),
        AuditAction.SIGN_INS_ENDED: _("Ended sign-ins"),
        AuditAction.ANSWERED: _("Answered a question"),
        AuditAction.REQUESTED: _("Asked another user, through a program"),
        AuditAction.AUDIT_EXPORTED: _("Exported the audit trail"),
        AuditAction.USER_ADDED: _("Added a user"),
        AuditAction.USER_DISABLED: _("Disabled a user"),
        AuditAction.USER_ENABLED: _("Enabled a user"),
        AuditAction.USER_DELETED: _("Deleted a user"),
        AuditAction.ROLE_CHANGED: _("Got another role"),
        AuditAction.KEY_ROTATED: _("Sealed all secrets with a new key"),
        AuditAction.CONFIG_RELOADED: _("Reloaded the configuration"),
    }


def refusal_words() -> dict[str, str]:
    """Return the words for the reasons of refused sign-ins, by their codes."""
    return {
        "": _("Wrong token"),
        "wrong_token": _("Wrong token"),
        "disabled_user": _("Disabled user"),
        "lapsed_user": _("No sign-in for too long"),
        "forbidden_header": _("Forbidden header"),
        "malformed_user": _("Unusable user name"),
        "malformed": _("Malformed"),
        "expired": _("Expired"),
        "not_yet_valid": _("From the future"),
        "replayed": _("Used before"),
        "ended": _("Made before its session was ended"),
        "opaque": _("Not a JWT"),
        "wrong_type": _("Not an access token"),
        "too_long": _("Valid for too long"),
        "wrong_signature": _("Wrong signature"),
        "wrong_algorithm": _("Wrong algorithm"),
        "unknown_key": _("Unknown key"),
        "keys_unreachable": _("Keys unreachable"),
        "unknown_issuer": _("Wrong issuer"),
        "wrong_issuer": _("Wrong issuer"),
        "wrong_audience": _("Wrong audience"),
        "wrong_signer": _("Wrong signer"),
        "wrong_origin": _("Wrong origin"),
        "wrong_scope": _("Wrong scope"),
        "missing_claim": _("Missing claim"),
        "wrong_claim": _("Wrong claim"),
        "no_user": _("No user"),
        "no_user_header": _("No header with a user"),
        "unknown_user": _("Unknown user"),
        "several_users": _("Several users with this name"),
        "no_admin": _("No administrator any more"),
        "unknown_state": _("Not begun in this browser"),
        "late": _("Took too long"),
        "cancelled": _("Cancelled at the provider"),
        "provider_error": _("Refused by the provider"),
        "other_issuer": _("Wrong issuer"),
        "unreachable": _("Provider unreachable"),
        "unusable_answer": _("Unusable answer of the provider"),
        "not_allowed": _("Not on the allow-list"),
        "framed": _("Within another page"),
    }


def detail_words() -> dict[str, str]:
    """Return the words for each detail but the label, by its code; a value that stands alone has none."""
    return {
        "subject": _("Subject"),
        "email": _("E-mail address"),
        "address": _("Address"),
        "headers": _("Headers"),
        "sign_in": _("Sign-in settings"),
        "era": _("Protocol version"),
        "modes": _("Kinds of questions"),
        "extensions_off": _("Extensions not announced"),
        "muted": _("Muted"),
        "roots": _("Folders"),
        "sampling": _("Use of models"),
        "issuer": _("Issuer"),
        "scopes": _("Scopes"),
        "user_header": _("Header with the user"),
        "may_ask": _("May ask"),
        "kind": _("Kind"),
        "role": _("Role"),
        "rows": _("Rows"),
        "user": _("For"),
        "in_tab": _("In a tab"),
        "entries_added": _("Added"),
        "entries_changed": _("Changed"),
        "entries_removed": _("Removed"),
    }
