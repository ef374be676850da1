"""Sign-in with an OpenID provider: the authorization code flow, as far as it needs no browser and no user of ours.

Promises: whom `Provider.finish` returns has signed in at the provider just now, in the flow that this browser began:
PKCE (S256), state, nonce, issuer (RFC 9207), audience, signature and times are checked, and the allow-list. Each
refusal is a `RefusedError` with a code. The provider is asked when it is needed first, so the program starts without
it; each exchange is bounded in time and size. Authlib and what it brings are loaded by `open_provider` only.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from webclient.auth.oidc_provider.begun_flows import BegunFlows
from webclient.auth.oidc_provider.refusals import AccessTokenRefusedError, Refusal, RefusedError
from webclient.auth.oidc_provider.steps import EndedError, Finished, ProviderClient, Renewed
from webclient.domain.errors import WebclientError
from webclient.settings import Settings

if TYPE_CHECKING:
    # For annotations only: at run time there is no such name before `open_provider`.
    from webclient.auth.oidc_provider.provider import Provider  # noqa: TC004

__all__ = [
    "AccessTokenRefusedError",
    "BegunFlows",
    "EndedError",
    "Finished",
    "MissingExtraError",
    "Provider",
    "ProviderClient",
    "Refusal",
    "RefusedError",
    "Renewed",
    "open_provider",
]


class MissingExtraError(WebclientError):
    """The packages for this sign-in are not installed."""


def open_provider(settings: Settings) -> Provider:
    """Return the provider of the settings; nothing is fetched yet. Raises MissingExtraError."""
    try:
        # Only those who use it load it, and need it.
        from webclient.auth.oidc_provider.provider import Provider  # noqa: PLC0415
    except ModuleNotFoundError as error:
        raise MissingExtraError(
            f"--identity oidc needs a package that is not installed ({error.name}): "
            "pip install 'mcp-webclient[oidc]', then start again."
        ) from None
    return Provider(settings)
