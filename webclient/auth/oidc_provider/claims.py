"""Reads who a person is from verified claims, and whether the settings let them in."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from webclient.auth.jwt import LONGEST_NAME
from webclient.domain.model import Person, Role
from webclient.settings import Settings

LONGEST_EMAIL = 254
"""Characters of an e-mail address (RFC 5321, section 4.5.3.1.3, without the brackets)."""


def person_of(claims: Mapping[str, Any], settings: Settings) -> Person:
    """Return the person of verified claims; groups decide whether they are an administrator."""
    names = (claims.get(each) for each in ("name", "preferred_username", "email"))
    is_admin = not groups_of(claims, settings.oidc_roles_claim).isdisjoint(settings.oidc_admin_groups)
    return Person(
        issuer=settings.oidc_issuer or "",
        subject=str(claims["sub"]),
        name=_printable(next((name for name in names if isinstance(name, str) and name), "")),
        email=_verified_email(claims),
        role=Role.ADMIN if is_admin else Role.USER,
    )


def session_of(claims: Mapping[str, Any]) -> str | None:
    """Return the provider's name for the session, or None; one that cannot be stored ends no session."""
    name = claims.get("sid")
    return name[:LONGEST_NAME] if isinstance(name, str) and name and name.isprintable() else None


def is_allowed(claims: Mapping[str, Any], settings: Settings) -> bool:
    """Return whether the person may sign in: each list of the settings that is not empty must have them."""
    if settings.oidc_allowed_groups:
        groups = groups_of(claims, settings.oidc_roles_claim)
        if groups.isdisjoint(settings.oidc_allowed_groups):
            return False
    if settings.oidc_allowed_domains:
        # Safe: an address counts only if the provider has verified it, and the domain is compared as a whole.
        _name, at, domain = _verified_email(claims).rpartition("@")
        return bool(at) and domain.lower() in settings.oidc_allowed_domains
    return True


def is_shut_out(claims: Mapping[str, Any], settings: Settings) -> bool:
    """Return whether an access token names groups, but no group that may sign in."""
    groups = groups_of(claims, settings.oidc_roles_claim)
    return bool(settings.oidc_allowed_groups and groups) and groups.isdisjoint(settings.oidc_allowed_groups)


def agent_scopes_of(claims: Mapping[str, Any]) -> frozenset[str]:
    """Return the scopes of an access token (RFC 9068, section 2.2.3; some providers call them `scp`)."""
    found = claims.get("scope", claims.get("scp"))
    listed = found.split() if isinstance(found, str) else found if isinstance(found, list) else []
    return frozenset(each for each in listed if isinstance(each, str))


def groups_of(claims: Mapping[str, Any], claim: str) -> frozenset[str]:
    """Return the groups in a claim; a name with dots is also that of a claim within others (Keycloak's roles)."""
    found: Any = claims.get(claim)
    if found is None:
        found = claims
        for part in claim.split("."):
            found = found.get(part) if isinstance(found, Mapping) else None
    if isinstance(found, str):
        return frozenset({found})
    return frozenset(each for each in found if isinstance(each, str)) if isinstance(found, list) else frozenset()


def is_whole(claims: Mapping[str, Any], settings: Settings) -> bool:
    """Return whether the claims have all that is read; many providers have the rest at another address only."""
    claim = settings.oidc_roles_claim
    has_groups = claim in claims or claim.partition(".")[0] in claims
    return has_groups and {"name", "email", "email_verified"} <= claims.keys()


def merged(claims: Mapping[str, Any], more: Mapping[str, Any]) -> dict[str, Any]:
    """Return the claims of an ID token with `more` of the same person; those of the token count first."""
    found = {**more, **claims}
    if "email" in claims and more.get("email") != claims["email"]:
        # That another address is verified says nothing of this one.
        found["email_verified"] = claims.get("email_verified")
    return found


def _verified_email(claims: Mapping[str, Any]) -> str:
    email = claims.get("email")
    # Some providers write the boolean as text.
    is_verified = claims.get("email_verified") in (True, "true")
    # Whole or not at all: without an invisible character, or cut, it would be the address of someone else.
    is_usable = isinstance(email, str) and email.isprintable() and len(email) <= LONGEST_EMAIL
    return str(email) if is_verified and is_usable else ""


def _printable(text: str) -> str:
    return "".join(character for character in text if character.isprintable())[:200]
