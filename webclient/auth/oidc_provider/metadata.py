"""How the provider describes itself: its addresses and signature algorithms (OpenID Connect Discovery 1.0)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import httpx2

from webclient.auth.oidc_provider.bounded import Transport, client_options
from webclient.network import NotHttpsError, check_url
from webclient.settings import DISCOVERY
from webclient.support.log_lines import rare_logger

logger = rare_logger(__name__)

ALGORITHMS = frozenset(
    {"RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA", "Ed25519"}
)
"""Signatures with a published key. Neither none nor a secret: with HS256, a key that everybody knows would be one."""

_NEEDED = ("authorization_endpoint", "token_endpoint", "jwks_uri")
_OPTIONAL = ("userinfo_endpoint", "end_session_endpoint")


@dataclass(frozen=True, slots=True, kw_only=True)
class Metadata:
    """The description as it is used; `endpoints` has only addresses that may be used."""

    issuer: str
    endpoints: Mapping[str, str]
    algorithms: list[str]
    names_issuer: bool
    """Whether each answer names the issuer (RFC 9207)."""
    prompt_again: str
    """The `prompt` with which another account can sign in: where the provider can let the user choose, it does."""
    takes_secret_in_form: bool
    """Whether the client secret goes into the form, because the provider does not take it as a header."""


async def read_metadata(issuer: str, transport: Transport) -> Metadata:
    """Fetch the description of the issuer. Raises ValueError, and the errors of httpx2."""
    async with httpx2.AsyncClient(**client_options(transport)) as client:
        response = await client.get(issuer.rstrip("/") + DISCOVERY)
        response.raise_for_status()
        found = response.json()
    if not isinstance(found, dict):
        raise ValueError("no object")  # noqa: TRY004  (what is wrong is the document)
    if found.get("issuer") != issuer:
        # Section 4.3: it must be the same, character by character.
        logger.warning("The OpenID provider calls itself %.200r: --oidc-issuer must be the same.", found.get("issuer"))
        raise ValueError("other issuer")
    return Metadata(
        issuer=issuer,
        endpoints=_endpoints(found),
        algorithms=_algorithms(found.get("id_token_signing_alg_values_supported")),
        names_issuer=found.get("authorization_response_iss_parameter_supported") is True,
        prompt_again=_prompt_again(found.get("prompt_values_supported")),
        takes_secret_in_form=_in_form(found.get("token_endpoint_auth_methods_supported")),
    )


def _endpoints(found: Mapping[str, Any]) -> dict[str, str]:
    endpoints = {name: found[name] for name in _NEEDED}
    endpoints |= {name: found[name] for name in _OPTIONAL if found.get(name)}
    for name, url in endpoints.items():
        try:
            check_url(url)
        except NotHttpsError:
            raise ValueError(f"{name} is not https") from None
    return endpoints


def _algorithms(given: Any) -> list[str]:
    usable = sorted(ALGORITHMS.intersection(given)) if isinstance(given, list) else []
    return usable or ["RS256"]


def _prompt_again(values: Any) -> str:
    # Initiating User Registration via OpenID Connect 1.0, section 4.1. With login, some providers let only the user of
    # their session sign in again; but others do not know select_account.
    return "select_account" if isinstance(values, list) and "select_account" in values else "login"


def _in_form(methods: Any) -> bool:
    return isinstance(methods, list) and "client_secret_basic" not in methods and "client_secret_post" in methods
