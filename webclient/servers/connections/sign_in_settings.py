"""The user's settings of the sign-in to a server: their names, and what is valid."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from webclient.domain.errors import InvalidInputError
from webclient.domain.i18n import gettext as _
from webclient.domain.i18n import listed
from webclient.domain.model import Json
from webclient.domain.transport_rules import wrong_header
from webclient.domain.urls import is_http_url
from webclient.servers.sign_in import ENTERPRISE

LONGEST = 16_384
"""Characters of one setting; a private key has the most."""

EXCEPTIONS = ("pkce_unannounced", "other_issuer", "no_resource")
"""The deviations from the specification that a user may allow a server."""

GRANTS = ("client_credentials", "jwt_bearer", ENTERPRISE)
"""The grants that need no sign-in at the server."""

_OTHER_NAMES = {"clientId": "client_id", "clientSecret": "client_secret"}
"""Names that other programs use."""


def checked_settings(given: Json, *, stored: Json | None = None) -> Json:
    """Return the settings under their own names, without empty ones. Raises InvalidInputError, with errors by name.

    Settings of the operator stand in the config file alone, for which `stored` is what it has: they lead this program
    to files and addresses of its own machine.
    """
    named = {_OTHER_NAMES.get(name, name): value for name, value in given.items()}
    settings = {name: value for name, value in named.items() if value not in (None, "", [], {})}
    checks = _CHECKS | {name: check for name, check in _OF_OPERATOR.items() if _is_in_file(name, settings, stored)}
    errors = {name: str(wrong) for name, value in settings.items() if (wrong := _fault(checks.get(name), value))}
    if settings.get("grant") == ENTERPRISE and not _is_in_file("grant", settings, stored):
        # The company vouches for users of servers that its administrators have named.
        errors["grant"] = _("The grant “{name}” can be set in the config file only.").format(name=ENTERPRISE)
    if "client_secret" in settings and "client_id" not in settings:
        errors["client_id"] = _("A client secret needs its client ID.")
    if errors:
        raise InvalidInputError(_("Some settings of the sign-in are not valid."), errors)
    return settings


def _is_in_file(name: str, settings: Json, stored: Json | None) -> bool:
    return stored is not None and settings.get(name) == stored.get(name)


def _fault(check: Callable[[Any], str | None] | None, value: Any) -> str | None:
    """Say what is wrong with a setting."""
    if check is None:
        return _("The sign-in has no setting of this name.")
    return check(value)


def _text(value: Any) -> str | None:
    if not isinstance(value, str):
        return _("This must be text.")
    if len(value) > LONGEST:
        return _("This is too long: at most {n} characters can be sent.").format(n=LONGEST)
    return None


def _url(value: Any) -> str | None:
    is_url = isinstance(value, str) and is_http_url(value)
    return _text(value) if is_url else _("The address must start with http:// or https:// and name a host.")


def _grant(value: Any) -> str | None:
    known = listed(GRANTS)
    return None if value in GRANTS else _("The grant can only be one of these: {names}.").format(names=known)


def _headers(value: Any) -> str | None:
    is_headers = isinstance(value, dict) and all(isinstance(each, str) for each in value.values())
    wrong = wrong_header(value) if is_headers else _("This must be an object whose values are text.")
    return str(wrong) if wrong else None


def _exceptions(value: Any) -> str | None:
    known = isinstance(value, list) and all(each in EXCEPTIONS for each in value)
    return None if known else _("These exceptions exist: {names}.").format(names=", ".join(EXCEPTIONS))


_CHECKS: dict[str, Callable[[Any], str | None]] = {
    "client_id": _text,
    "client_secret": _text,
    "issuer": _url,
    "scope": _text,
    "client_metadata_url": _url,
    "grant": _grant,
    "private_key": _text,
    "signing_algorithm": _text,
    "exceptions": _exceptions,
    "idp_client_id": _text,
    "idp_client_secret": _text,
    "idp_id_token": _text,
    "idp_issuer": _url,
    "idp_token_endpoint": _url,
    "assertion": _text,
}

_OF_OPERATOR: dict[str, Callable[[Any], str | None]] = {
    "assertion_file": _text,
    "assertion_url": _url,
    "assertion_headers": _headers,
}
"""Where the assertion of a workload is read from; users must not choose files and addresses of this machine."""
